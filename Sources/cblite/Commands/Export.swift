import ArgumentParser
import DocumentStore
import Foundation

/// `cblite export`
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints all documents of a collection as JSON.",
        discussion: """
            One JSON object per line for each document, in the order of the IDs. The ID is the member _id; members, also of \
            nested objects, are sorted by the bytes of their names. The output can be imported with cblite import; blob contents \
            are not included.

            EXAMPLES:
              $ cblite export travel.cblite2 > backup.jsonl
              $ cblite export travel.cblite2 --collection inventory.hotels --output hotels.jsonl

            With --output and --json, a summary is printed: documents, bytes, file.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Option(name: [.customShort("o"), .long], help: "Write to this file instead of standard output.", completion: .file())
    var output: String?
    @OptionGroup var collection: CollectionOption
    @OptionGroup var format: OutputOptions

    func run() throws {
        try database.reading { file in
            let collection = try collection.store(in: file)
            guard let path = output else {
                let output = Output()
                _ = try Self.export(collection, to: output)
                return try output.flush()
            }
            // Written to a temporary file first, so that a failed export does not overwrite an existing file.
            let unfinished = path + ".unfinished-\(UInt32.random(in: 0 ... .max))"
            let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw Failure.system("create", unfinished) }
            do {
                defer { close(descriptor) }
                let output = Output(descriptor: descriptor)
                let documents = try Self.export(collection, to: output)
                try output.flush()
                guard rename(unfinished, path) == 0 else { throw Failure.system("create", path) }
                try report(documents: documents, bytes: output.count, path: path)
            } catch {
                unlink(unfinished)
                throw error
            }
        }
    }

    private static func export(_ collection: CollectionStore, to output: Output) throws -> Int {
        var documents = 0
        var text = DocumentJSON()
        try collection.forEachDocument { record in
            try text.withText(of: record) { try output.write($0) }
            try output.newline()
            documents += 1
            return true
        }
        return documents
    }

    private func report(documents: Int, bytes: Int, path: String) throws {
        let output = Output()
        if format.json {
            try output.line(
                JSONPrinter.object { printer in
                    printer.member("documents", documents)
                    printer.member("bytes", bytes)
                    printer.member("file", path)
                }
            )
        } else {
            try output.line("Exported \(documents.counted("document")) to \(path), \(bytes.asByteCount).")
        }
        try output.flush()
    }
}
