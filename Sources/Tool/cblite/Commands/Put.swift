import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite put`
struct Put: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Saves a document.",
        discussion: """
            If JSON is given, it replaces the document's properties; it is JSON text, - for standard input, or @FILE. Otherwise \
            the document keeps its other properties, and is created if it does not exist. A dot in a path leads into a nested \
            dictionary; a dot that is part of a key is written \\. A value of --set that is not JSON is stored as text. A text that looks like \
            JSON is quoted: who='"123"'.

            EXAMPLES:
              $ cblite put travel.cblite2 airport_XYZ '{"type":"airport","name":"Nowhere","geo":{"alt":12}}'
              $ cblite put travel.cblite2 airport_CDG --set visits=3 --set geo.alt=392 --unset nickname
              $ cblite put travel.cblite2 airport_CDG --set owner.name=anna --set 'code="123"'
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
    @Option(help: ArgumentHelp("Set a property. May be repeated.", valueName: "path=value")) var set: [String] = []
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
        let text = try json.map { try Self.text($0) }
        let given = try text.map { try Self.document($0, id: id) }
        var edits = try set.map { assignment -> (DocumentKeyPath, Any?) in
            let (path, text) = try Self.assignment(assignment)
            return (path, try Self.value(text, of: assignment))
        }
        for path in unset { edits.append((try Self.path(path), nil)) }
        for assignment in blob {
            let (path, text) = try Self.assignment(assignment)
            edits.append((path, try BlobArgument(text).blob()))
        }
        let saved = try database.writing { database in
            let collection = try collection.open(in: database)
            var document = given ?? MutableDocument(id: id)
            try database.inBatch {
                let stored = try collection.document(id: id)
                if create, stored != nil {
                    throw Failure(.cannotCreate, "document \"\(id)\" already exists", hint: "Omit --create to change it.")
                }
                if update, stored == nil { throw Failure.noDocument(id, in: collection) }
                if given == nil, let stored { document = stored.toMutable() }
                let before = try given == nil ? collection.storedDocument(id) : nil
                for (path, value) in edits {
                    try path.set(value, in: document) { keys in
                        let path = ValuePath(keys.map { .key($0) })
                        return try text.map { try JSONInput.json(at: path, in: $0) } ?? before?.json(at: path)
                    }
                }
                try Self.save(document, in: collection)
            }
            return document
        }
        let revision = saved.revisionID ?? ""
        try output.print("Saved \(id), revision \(revision)", ["id": id, "rev": revision, "sequence": saved.sequence])
    }

    static func save(_ document: MutableDocument, in collection: DocumentCollection) throws {
        do {
            try collection.save(document: document)
        } catch let error where CBLError.invalidParameter ~= error {
            // Here only a reserved property is an invalid parameter.
            throw Failure(.badData, error.localizedDescription, hint: Advice.renameProperty)
        }
    }

    // MARK: Arguments

    private static func path(_ text: String) throws -> DocumentKeyPath {
        guard let path = DocumentKeyPath(text) else { throw ValidationError("'\(text)' is not a valid property path.") }
        return path
    }

    private static func assignment(_ text: String) throws -> (path: DocumentKeyPath, value: String) {
        guard let sign = text.firstIndex(of: "=") else {
            throw ValidationError("'\(text)' has no = between the path and the value.")
        }
        return (try path(String(text[..<sign])), String(text[text.index(after: sign)...]))
    }

    private static func value(_ text: String, of assignment: String) throws -> Any {
        do {
            return try JSONInput.value(text)
        } catch {
            // An opening quote or bracket shows that JSON was intended.
            guard let first = text.drop(while: \.isWhitespace).first, "{[\"".contains(first) else { return text }
            throw Failure(
                .badData,
                "--set \(assignment): \(error)",
                hint: "A text with this beginning must be quoted: --set 'name=\"[1]\"'"
            )
        }
    }

    /// Returns the JSON text that an argument gives or names.
    private static func text(_ argument: String) throws -> [UInt8] {
        switch argument.first {
        case "@": try InputFile(String(argument.dropFirst())).rest()
        case "-" where argument == "-": try InputFile("-").rest()
        default: Array(argument.utf8)
        }
    }

    /// Returns a document with the given properties, without the `_id` that `cat` and `export` add.
    ///
    /// - Throws: ``Failure`` if the text is not a JSON object, or its `_id` differs from `id`.
    static func document(_ text: [UInt8], id: String) throws -> MutableDocument {
        try JSONInput.check(text)
        guard let document = try? MutableDocument(id: id, json: String(decoding: text, as: UTF8.self)) else {
            throw Failure(.badData, "a document must be a JSON object")
        }
        if document.contains(key: DocumentJSON.idKey) {
            guard document.string(forKey: DocumentJSON.idKey)?.utf8.elementsEqual(id.utf8) == true else {
                throw Failure(.badData, "_id in the JSON differs from the given ID", hint: "Remove _id, or give the same ID.")
            }
            document.removeValue(forKey: DocumentJSON.idKey)
        }
        return document
    }
}
