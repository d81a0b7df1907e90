import ArgumentParser
import DocumentStore

/// `cblite compact`
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes blobs that nothing refers to and gives free space back.",
        discussion: """
            A file of an old release is upgraded first, like by everything that writes.

            EXAMPLES:
              $ cblite compact travel.cblite2

            With --json, one object: before and after, each {size, blobs}: the bytes of the database file and its log, and the \
            number of blobs.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    private struct State {
        let size: UInt64
        let blobs: Int

        init(_ file: DatabaseFile) throws {
            size = file.sizeOnDisk
            blobs = try file.blobs.digests().count
        }

        func write(to printer: inout JSONPrinter) {
            printer.member("size", size)
            printer.member("blobs", blobs)
        }
    }

    func run() throws {
        let (before, after) = try database.writing { file in
            let before = try State(file)
            try file.compact()
            return (before, try State(file))
        }
        let output = Output()
        if self.output.json {
            try output.line(
                JSONPrinter.object { printer in
                    printer.object("before") { before.write(to: &$0) }
                    printer.object("after") { after.write(to: &$0) }
                }
            )
        } else {
            try output.line(text(before, after))
        }
        try output.flush()
    }

    private func text(_ before: State, _ after: State) -> String {
        let removed = before.blobs - after.blobs
        return
            "The file has \(after.size.asByteCount) and had \(before.size.asByteCount); \(removed.counted("blob")) removed."
    }
}
