import ArgumentParser
import CouchbaseLiteSwift

/// `cblite import`
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Imports documents from JSON, CSV or tables and views of an SQLite file.",
        discussion: """
            Each input is a file with one JSON object per line, a file with one array of objects, or a directory with one \
            object in each of its .json files; - is standard input. An existing document gets a new revision. The document ID is \
            the property _id, which is removed from the properties. A document without an ID gets the file name without \
            extension if it is from a directory, otherwise a generated ID. An ID property other than _id is not removed; a CSV \
            file, and the table of --table, must have a column of its name.

            With --path, the documents are the items of the array that a property of the file contains, such as features, or data.rows.

            The first row of a CSV file names the properties. With --types auto, the default, a column has numbers, or true and false, if \
            all its fields are such, and otherwise texts: one postal code with a leading zero makes texts of all. A field in quotes is \
            text, and empty fields are not stored. --types 'age=int,zip=text' sets the types of single columns; text applies to all. \
            The character between the fields is found among comma, semicolon, tab and vertical bar; a line says so if it is no comma. For \
            the types, a file is read twice, and standard input is copied to a temporary file.

            A text that is not UTF-8 needs --encoding. JSON and CSV files that are compressed with gzip are read as they are.

            Of an SQLite table, integers, reals, texts and nulls are stored as they are, also dates, and binary values as blobs or \
            base64 texts. The primary key is the document ID, unless it has several columns. --all-tables imports every table \
            and view into a collection of its name. A view can use the functions of SQLite only; it may have 10 million rows, with values \
            of 16 MB, and take a minute for each.

            --on-error specifies what happens if the input contains an invalid document: stop keeps the documents before it, skip \
            reports it and continues, rollback imports nothing. In all cases the file, line and column are reported, with the line \
            where the document begins, and the exit code is 65. A failed import of no documents leaves no new database or collection.

            The contents of blobs are read from the directory that --blobs names, as cblite export --blobs writes it, and from the \
            members data of blobs in base64, which are replaced by stored contents.

            EXAMPLES:
              $ cblite import --create travel.cblite2 Samples/travel/airports.jsonl
              $ cblite import travel.cblite2 hotels.json --collection inventory.hotels --id-property code
              $ curl -s https://example.org/list.json | cblite import travel.cblite2 - --on-error rollback
              $ cblite import --create people.cblite2 people.csv --id-property email --types zip=text
              $ cblite import --create map.cblite2 places.geojson.gz --path features
              $ cblite import --create shop.cblite2 --table orders shop.sqlite3 --id-property number
              $ cblite import --create all.cblite2 --all-tables shop.sqlite3

            With --json, one object: imported, created, updated, skipped, blobs, missingBlobs, interrupted, seconds, \
            problems [{file, line, column, documentLine, message}].
            """
    )

    private static let standardIDProperty = "_id"

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp("Files and directories.", valueName: "input"), completion: .file()) var inputs: [String]
    @Flag(help: "Create the database and the collection if they do not exist.") var create = false
    @Option(help: ArgumentHelp("The property that contains the document ID.", valueName: "name")) var idProperty = standardIDProperty
    @Option(help: ArgumentHelp("The number of documents per transaction.", valueName: "number")) var batch = 5000
    @Option(help: "What to do with an invalid document.") var onError = ImportErrorPolicy.stop
    @Option(
        help: ArgumentHelp("The directory with the contents of blobs.", valueName: "directory"),
        completion: .directory
    )
    var blobs: String?
    @OptionGroup var format: ImportFormatOptions
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard batch > 0 else { throw ValidationError("--batch must be at least 1.") }
        guard !format.allTables || collection.collection == nil else {
            throw ValidationError("With --all-tables, each table has its own collection: give --table, or omit --collection.")
        }
        if let blobs, blobs != Export.inline, FileStatus(blobs)?.isDirectory != true {
            throw ValidationError("--blobs \(blobs): there is no such directory.")
        }
    }

    func run() throws {
        let column = idProperty.utf8.elementsEqual(Self.standardIDProperty.utf8) ? nil : idProperty
        let inputs = try inputs.flatMap { try format.inputs($0, idColumn: column) }
        let totalBytes = inputs.reduce(Int?.some(0)) { sum, input in
            sum.flatMap { sum in input.size.map { sum &+ $0 } }
        }
        let path = create ? DatabasePath.new(database.database) : database.path
        let isNew = create && !DatabaseFiles.exist(at: path)
        let progress = ProgressBar("Importing", total: totalBytes)
        let stop = StopRequest()
        defer { stop.end() }
        let summary = try database.writing(creating: create) { database in
            // A failed import leaves nothing that it has created, unless there are documents in it.
            var created = isNew ? Created.database : .nothing
            defer { try? created.remove(from: database) }
            if !isNew, create { created = .collections(try missingCollections(of: inputs, in: database)) }
            let sources = try inputs.map { input in
                let named = try input.collection?.open(in: database, creating: create)
                return (collection: try named ?? collection.open(in: database, creating: create), open: input.open)
            }
            var importer = Importer(
                writer: DocumentWriter(idProperty: idProperty, blobs: try BlobImport(place, into: database)),
                policy: onError,
                batchSize: batch,
                progress: progress,
                stop: stop
            )
            do {
                try importer.run(sources)
            } catch let code as ExitCode {
                StandardStreams.printError("Interrupted. Nothing was imported.\n")
                throw code
            } catch {
                if importer.committed > 0 {
                    created = .nothing
                    let verb = importer.committed == 1 ? "was" : "were"
                    StandardStreams.printError("\(importer.committed.counted("document")) \(verb) imported and kept.\n")
                }
                throw error
            }
            if importer.committed > 0 || importer.summary.fatalProblem == nil { created = .nothing }
            return importer.summary
        }
        try ImportReport(summary: summary, seconds: progress.seconds, policy: onError).print(json: output.json)
        if summary.isInterrupted { throw stop.exitCode }
    }

    private var place: BlobPlace? { blobs.map { $0 == Export.inline ? .inline : .directory($0) } }

    /// What the import has created before the first document.
    private enum Created {
        case nothing, database
        case collections([CollectionName])

        func remove(from database: Database) throws {
            switch self {
            case .nothing: break
            case .database: try database.delete()
            case .collections(let names):
                for name in names { try database.deleteCollection(name: name.name, scope: name.scope) }
            }
        }
    }

    /// Returns the names of the collections of the inputs that do not exist.
    private func missingCollections(of inputs: [ImportInput], in database: Database) throws -> [CollectionName] {
        var names = inputs.compactMap(\.collection)
        if inputs.contains(where: { $0.collection == nil }), try !collection.exists(in: database) { names.append(try collection.name()) }
        return try names.filter { try $0.find(in: database, creating: false) == nil }
    }
}
