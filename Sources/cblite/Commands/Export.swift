import ArgumentParser
import CouchbaseLiteSwift
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
        try database.reading { database in
            let collection = try collection.open(in: database)
            guard let path = output else {
                let output = Output()
                _ = try Self.export(collection, to: output)
                return try output.flush()
            }
            let (documents, bytes) = try OutputFile.writing(to: path) { output in
                let documents = try Self.export(collection, to: output)
                try output.flush()
                return (documents, output.count)
            }
            try format.print("Exported \(documents.counted("document")) to \(path), \(bytes.asByteCount).") { printer in
                printer.member("documents", documents)
                printer.member("bytes", bytes)
                printer.member("file", path)
            }
        }
    }

    private static func export(_ collection: DocumentCollection, to output: Output) throws -> Int {
        var documents = 0
        var text = DocumentJSON()
        try collection.forEachStoredDocument { document in
            try text.withText(of: document) { try output.write($0) }
            try output.newline()
            documents += 1
            return true
        }
        return documents
    }
}
