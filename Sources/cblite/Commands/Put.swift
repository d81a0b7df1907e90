import ArgumentParser
import DocumentStore
import Fleece

/// `cblite put`
struct Put: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Saves a document.",
        discussion: """
            If JSON is given, it replaces the document's properties; it is JSON text, - for standard input, or @FILE. Otherwise \
            the document keeps its other properties, and is created if it does not exist. A dot in a path leads into a nested \
            dictionary; a dot that is part of a key is written \\.

            EXAMPLES:
              $ cblite put travel.cblite2 airport_XYZ '{"type":"airport","name":"Nowhere","geo":{"alt":12}}'
              $ cblite put travel.cblite2 airport_CDG --set visits=3 --set geo.alt=392 --unset nickname
              $ cblite put travel.cblite2 airport_CDG --blob 'photo=tower.jpg;image/jpeg'
              $ cblite put --update travel.cblite2 airport_CDG @airport.json

            With --json, one object: id, rev, sequence.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The ID of the document.") var id: String
    @Argument(help: "All properties: JSON text, - or @FILE.") var json: String?
    @Flag(help: "Fail if the document exists.") var create = false
    @Flag(help: "Fail if the document does not exist.") var update = false
    @Option(help: ArgumentHelp("Set a property. May be repeated.", valueName: "path=json")) var set: [String] = []
    @Option(help: ArgumentHelp("Remove a property. May be repeated.", valueName: "path")) var unset: [String] = []
    @Option(help: ArgumentHelp("Set a property to a blob. May be repeated.", valueName: "path=FILE[;type]"))
    var blob: [String] = []
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if create, update { throw ValidationError("--create and --update exclude each other.") }
        guard json != nil || !set.isEmpty || !unset.isEmpty || !blob.isEmpty else {
            throw ValidationError("Give the properties as JSON, or some of them with --set, --unset or --blob.")
        }
        for assignment in set + blob { _ = try Self.assignment(assignment) }
        for path in unset { _ = try Self.path(path) }
    }

    func run() throws {
        var edits = PropertyEdits()
        for assignment in set {
            let (path, text) = try Self.assignment(assignment)
            edits.set(path, to: try Self.value(text, of: assignment))
        }
        for path in unset { edits.remove(try Self.path(path)) }
        let properties = try json.map { try Self.properties($0, id: id) }
        let (revision, sequence) = try database.writing { file in
            let collection = try collection.store(in: file)
            return try file.transaction { writer in
                for assignment in blob {
                    let (path, text) = try Self.assignment(assignment)
                    edits.set(path, to: try BlobFile(text).store(in: file.blobs))
                }
                return try save(properties, edits, in: collection, writer)
            }
        }
        let output = Output()
        if self.output.json {
            try output.line(
                JSONPrinter.object { printer in
                    printer.member("id", id)
                    printer.member("rev", revision.description)
                    printer.member("sequence", sequence)
                }
            )
        } else {
            try output.line("Saved \(id), revision \(revision)")
        }
        try output.flush()
    }

    private func save(
        _ properties: FleeceData?,
        _ edits: PropertyEdits,
        in collection: CollectionStore,
        _ writer: Writer
    ) throws -> (RevisionID, sequence: UInt64) {
        let stored = try collection.document(id)
        if create, stored != nil {
            throw Failure(.cannotCreate, "document \"\(id)\" already exists", hint: "Omit --create to change it.")
        }
        if update, stored == nil { throw Failure.noDocument(id, in: collection) }
        let original = properties ?? stored?.body ?? .emptyDictionary
        let keys = properties == nil ? stored?.sharedKeys ?? .empty : .empty
        let body = try original.withRoot { root in try edits.apply(to: root, keys: keys) } ?? .emptyDictionary
        let outcome = try collection.save(
            DocumentSave(id, base: .latest, isDeleted: false, isLikelyStored: stored != nil),
            in: writer
        ) { encoder in
            body.withRoot { root in
                encoder.write(root, keys: .other(.empty))
                return BlobReferences.containsBlobs(root, sharedKeys: .empty)
            } ?? false
        }
        guard case .saved(let revision, let sequence) = outcome else { throw StoreError.conflict(documentID: id) }
        return (revision, sequence)
    }

    // MARK: Arguments

    private static func path(_ text: String) throws -> [String] {
        guard let path = PropertyEdits.path(text) else { throw ValidationError("'\(text)' is not a valid property path.") }
        return path
    }

    private static func assignment(_ text: String) throws -> (path: [String], value: String) {
        guard let sign = text.firstIndex(of: "=") else {
            throw ValidationError("'\(text)' has no = between the path and the value.")
        }
        return (try path(String(text[..<sign])), String(text[text.index(after: sign)...]))
    }

    private static func value(_ text: String, of assignment: String) throws -> FleeceData {
        do {
            return try JSON.fleece(text, allowingFragments: true)
        } catch {
            throw Failure(.badData, "--set \(assignment): \(error)", hint: "Strings must be quoted: --set 'name=\"Nowhere\"'")
        }
    }

    /// Returns the properties given as an argument, without the `_id` that `cat` and `export` add.
    ///
    /// - Throws: ``Failure`` if the argument is not a JSON object, or its `_id` differs from `id`.
    private static func properties(_ argument: String, id: String) throws -> FleeceData {
        let text: [UInt8] =
            switch argument.first {
            case "@": try InputFile(String(argument.dropFirst())).rest()
            case "-" where argument == "-": try InputFile("-").rest()
            default: Array(argument.utf8)
            }
        let data = try text.withUnsafeBytes { try JSON.fleece($0) }
        return try data.withRoot { root in
            guard let dictionary = root.dictionary else { throw Failure(.badData, "a document must be a JSON object") }
            guard let own = dictionary.value(for: DocumentJSON.idKey) else { return data }
            guard own.string == id else {
                throw Failure(.badData, "_id in the JSON differs from the given ID", hint: "Remove _id, or give the same ID.")
            }
            var edits = PropertyEdits()
            edits.remove([DocumentJSON.idKey])
            return try edits.apply(to: root, keys: .empty)
        } ?? data
    }
}
