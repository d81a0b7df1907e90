import ArgumentParser
import CouchbaseLiteSwift

/// `cblite export`
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints all documents of a collection as JSON.",
        discussion: """
            One JSON object per line for each document, in the order of the IDs. The ID is the member _id; members, also of \
            nested objects, are sorted by the bytes of their names. The output can be imported with cblite import.

            The contents of blobs are written to the directory that --blobs names, in files named by their digests; with --blobs inline \
            they are in the JSON, in base64, which takes memory for each document. Without --blobs, they are left out. For a copy of \
            everything, with revision trees and indexes, see cblite backup.

            EXAMPLES:
              $ cblite export travel.cblite2 > travel.jsonl
              $ cblite export travel.cblite2 --blobs contents --output travel.jsonl
              $ cblite export travel.cblite2 --collection inventory.hotels --output hotels.jsonl

            With --output and --json, a summary is printed: documents, bytes, file, blobs, omittedBlobs, missingBlobs.
            """
    )

    /// The value of `--blobs` that puts contents into the JSON.
    static let inline = "inline"

    @OptionGroup var database: DatabaseArgument
    @Option(name: [.customShort("o"), .long], help: "Write to this file instead of standard output.", completion: .file())
    var output: String?
    @Option(
        help: ArgumentHelp("Where the contents of blobs are written: a directory, or inline.", valueName: "directory|inline"),
        completion: .directory
    )
    var blobs: String?
    @OptionGroup var collection: CollectionOption
    @OptionGroup var format: OutputOptions

    func run() throws {
        try database.reading { database in
            let collection = try collection.open(in: database)
            // On a terminal, the documents themselves show the progress.
            let isShown = Style.Stream.standardError.isTerminal && (output != nil || !Style.Stream.standardOutput.isTerminal)
            let bar = ProgressBar("Exporting", total: isShown ? Int(clamping: collection.count) : nil, isShown: isShown)
            var run = ExportRun(blobs: try BlobExport(place, from: database), bar: bar)
            let file = "No file was written."
            try bar.whileInterruptible(kept: output == nil ? "\(run.documents.counted("document")) printed." : file) { stop in
                try export(collection, &run, stop)
            }
            if run.blobs.tally.omitted > 0 {
                StandardStreams.printError(
                    "The contents of \(run.blobs.tally.omitted.counted("blob")) are left out: add --blobs DIRECTORY or --blobs inline.\n"
                )
            }
            if run.blobs.tally.missing > 0 {
                StandardStreams.printError("\(run.blobs.tally.missing.counted("blob")) of documents have no content in the database.\n")
            }
        }
    }

    private var place: BlobPlace? { blobs.map { $0 == Self.inline ? .inline : .directory($0) } }

    private func export(_ collection: DocumentCollection, _ run: inout ExportRun, _ stop: StopRequest) throws {
        guard let path = output else {
            let output = Output()
            try run.export(collection, to: output, stop)
            return try output.flush()
        }
        let bytes = try OutputFile.writing(to: path) { output in
            try run.export(collection, to: output, stop)
            try output.flush()
            return output.count
        }
        run.bar.finish()
        let tally = run.blobs.tally
        let contents = tally.copied > 0 ? " and \(tally.copied.counted("blob"))" : ""
        try format.print(
            "Exported \(run.documents.counted("document"))\(contents) to \(path), \(bytes.asByteCount).",
            [
                "documents": run.documents, "bytes": bytes, "file": path, "blobs": tally.copied, "omittedBlobs": tally.omitted,
                "missingBlobs": tally.missing,
            ]
        )
    }
}

/// The state of an export.
private struct ExportRun {
    var blobs: BlobExport
    let bar: ProgressBar
    private(set) var documents = 0

    init(blobs: BlobExport, bar: ProgressBar) { (self.blobs, self.bar) = (blobs, bar) }

    mutating func export(_ collection: DocumentCollection, to output: Output, _ stop: StopRequest) throws {
        var text = DocumentJSON()
        var (blobs, documents) = (blobs, documents)
        defer { (self.blobs, self.documents) = (blobs, documents) }
        try collection.forEachStoredDocument { document in
            try stop.check()
            let properties = try blobs.export(document)
            try text.withText(of: document, properties: properties) { try output.write(json: $0) }
            try output.newline()
            documents += 1
            bar.update(documents)
            return true
        }
    }
}
