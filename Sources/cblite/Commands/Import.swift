import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite import`
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports documents from JSON.",
        discussion: """
            Each input is a file with one JSON object per line, a file with one array of objects, or a directory with one \
            object in each of its .json files; - is standard input. An existing document gets a new revision. The document ID is \
            the property _id, which is removed from the properties. A document without an ID gets the file name without \
            extension if it is from a directory, otherwise a generated ID. An ID property other than _id is not removed.

            --on-error specifies what happens if the input contains an invalid document: stop keeps the documents before it, skip \
            reports it and continues, rollback imports nothing. In all cases the file, line and column are reported, and the exit \
            code is 65.

            EXAMPLES:
              $ cblite import --create travel.cblite2 Samples/travel/airports.jsonl
              $ cblite import travel.cblite2 hotels.json --collection inventory.hotels --id-property code
              $ curl -s https://example.org/list.json | cblite import travel.cblite2 - --on-error rollback

            With --json, one object: imported, created, updated, skipped, seconds, problems [{file, line, column, message}].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp("Files and directories.", valueName: "input"), completion: .file()) var inputs: [String]
    @Flag(help: "Create the database and the collection if they do not exist.") var create = false
    @Option(help: ArgumentHelp("The property that contains the document ID.", valueName: "name")) var idProperty = "_id"
    @Option(help: ArgumentHelp("The number of documents per transaction.", valueName: "number")) var batch = 5000
    @Option(help: "What to do with an invalid document.") var onError = ImportErrorPolicy.stop
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard batch > 0 else { throw ValidationError("--batch must be at least 1.") }
    }

    func run() throws {
        let (sources, totalBytes) = try findSources()
        let path = create ? DatabasePath.new(database.database) : database.path
        let isNew = !DatabaseFiles.exist(at: path)
        let progress = ProgressBar("Importing", total: totalBytes)
        let summary = try database.writing(creating: create) { database in
            var isKept = !(isNew && create && onError == .rollback)
            defer { if !isKept { try? database.delete() } }
            var importer = Importer(
                collection: try collection.open(in: database, creating: create),
                writer: DocumentWriter(idProperty: idProperty),
                policy: onError,
                batchSize: batch,
                progress: progress
            )
            try importer.run(sources)
            isKept = isKept || importer.summary.fatalProblem == nil
            return importer.summary
        }
        try ImportReport(summary: summary, seconds: progress.seconds, policy: onError).print(json: output.json)
    }

    /// Returns the inputs and their total size in bytes, `nil` if it is unknown (directories, pipes).
    ///
    /// - Throws: ``Failure`` if an input does not exist or cannot be read.
    private func findSources() throws -> ([() throws -> any DocumentSource], totalBytes: Int?) {
        var total: Int? = 0
        let sources = try inputs.map { path -> () throws -> any DocumentSource in
            var isDirectory: ObjCBool = false
            if path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
                let source = try JSONDirectorySource(path)
                total = nil
                return { source }
            }
            let size = try InputFile.size(of: path)
            total = total.flatMap { sum in size.map { sum &+ $0 } }
            // Opened when the inputs before it are imported, because a process has a limited number of open files.
            return { try Self.source(of: InputFile(path)) }
        }
        return (sources, total)
    }

    /// Returns the source for an input: an array if its first character is `[`, otherwise lines.
    private static func source(of input: InputFile) throws -> any DocumentSource {
        while true {
            let first = input.withAvailable { bytes in
                bytes.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
            }
            if first == UInt8(ascii: "[") { return JSONArraySource(input) }
            if try first != nil || !input.fill() { return JSONLinesSource(input) }
        }
    }
}
