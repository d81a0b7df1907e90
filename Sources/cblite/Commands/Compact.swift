import ArgumentParser
import DocumentStore

/// `cblite compact`
struct Compact: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes unreferenced blobs and returns unused space to the file system.",
        discussion: """
            A file of an older release is upgraded first, as by all commands that write.

            EXAMPLES:
              $ cblite compact travel.cblite2

            With --json, one object: before and after, each {size, blobs}: the size of the database file and its log in bytes, \
            and the number of blobs.
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
        // Not rounded, because different sizes could look alike.
        return "Size \(after.size.counted("byte")), previously \(before.size.counted("byte")); \(removed.counted("blob")) removed."
    }
}
