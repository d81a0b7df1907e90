import ArgumentParser
import CouchbaseLiteSwift
import Fleece
import Foundation

/// `cblite blob`
struct BlobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blob",
        abstract: "Lists the blobs of documents, and prints their content.",
        discussion: """
            EXAMPLES:
              $ cblite blob ls travel.cblite2
              $ cblite blob get travel.cblite2 airport_CDG photo tower.jpg

            Both commands accept --json; see their help: cblite help blob ls.
            """,
        subcommands: [BlobGet.self, BlobList.self]
    )
}

/// `cblite blob get`
struct BlobGet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Writes the content of a blob to a file or to standard output.",
        discussion: """
            The property is a path such as photo, author.picture or photos[2].image. A dot or bracket that is part of a key is \
            written \\. or \\[. Content of any size takes little memory.

            EXAMPLES:
              $ cblite blob get travel.cblite2 airport_CDG photo tower.jpg
              $ cblite blob get travel.cblite2 airport_CDG 'photos[0].image' > first.jpg

            With FILE and --json, prints one object: id, property, digest, type, bytes, file.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The ID of the document.") var id: String
    @Argument(help: "The path of the property that contains the blob.") var property: String
    @Argument(help: "The file to write; it is replaced if it exists. Standard output if omitted.", completion: .file()) var file: String?
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard ValuePath(parsing: property) != nil else { throw ValidationError("'\(property)' is not a valid property path.") }
    }

    func run() throws {
        try database.reading { database in
            let collection = try collection.open(in: database)
            guard let document = try collection.document(id: id) else { throw Failure.noDocument(id, in: collection) }
            let blob = try self.blob(in: document)
            guard let stream = blob.contentStream else {
                throw Failure(
                    .notFound,
                    "the content of \(property) of document \"\(id)\" is missing in the database",
                    hint: "List all missing contents with: cblite blob ls DATABASE"
                )
            }
            guard let file else { return _ = try Self.copy(stream, to: Output()) }
            let count = try OutputFile.writing(to: file) { try Self.copy(stream, to: $0) }
            try output.print(
                "Wrote \(count.counted("byte")) to \(file).",
                [
                    "id": id, "property": property, "digest": blob.digest, "type": blob.contentType, "bytes": count, "file": file,
                ]
            )
        }
    }

    private func blob(in document: Document) throws -> Blob {
        let steps = ValuePath(parsing: property)?.steps ?? []
        var value: Any? = document
        for step in steps {
            switch (step, value) {
            case (.key(let key), let document as Document): value = document.value(forKey: key)
            case (.key(let key), let dictionary as DictionaryObject): value = dictionary.value(forKey: key)
            case (.index(let index), let array as ArrayObject): value = index < array.count ? array.value(at: index) : nil
            default: value = nil
            }
        }
        if let blob = value as? Blob { return blob }
        throw Failure(
            .notFound,
            "document \"\(id)\" has no \(value == nil ? "property" : "blob in") \(property)",
            hint: "List its blobs with: cblite blob ls DATABASE '\(id)'"
        )
    }

    private static func copy(_ stream: InputStream, to output: Output) throws -> Int {
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = stream.read(&buffer, maxLength: buffer.count)
            if count < 0 { throw stream.streamError ?? Failure(.inputOutput, "the content cannot be read") }
            if count == 0 { break }
            try buffer.withUnsafeBytes { try output.write(content: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        try output.flush()
        return output.count
    }
}

/// `cblite blob ls`
struct BlobList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the blobs of one or all documents.",
        discussion: """
            Shows for each blob its digest, type and length, and the document and the property that refer to it. A blob whose \
            content is not stored is marked as missing. Only the current revisions are read.

            EXAMPLES:
              $ cblite blob ls travel.cblite2
              $ cblite blob ls travel.cblite2 airport_CDG
              $ cblite blob ls --missing --json travel.cblite2

            With --json, one object per line for each blob: id, property, digest, type, length, missing.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The ID of a document, or a pattern as for ls.") var id: String?
    @Flag(help: "List only blobs whose content is missing.") var missing = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let output = Output()
        let table = Table(
            [("Digest", .left), ("Type", .left), ("Length", .right), ("Document", .left), ("Property", .left), ("", .left)],
            to: output
        )
        try database.reading { database in
            let collection = try collection.open(in: database)
            func list(_ document: StoredDocument) throws {
                for blob in try document.blobReferences() {
                    let isMissing = try !blob.isStored(in: database)
                    guard isMissing || !missing else { continue }
                    if self.output.json {
                        try output.line(json: json(blob, of: document, isMissing: isMissing))
                    } else {
                        try table.add([
                            blob.digest ?? "in the document", blob.contentType ?? "", blob.length.map { String($0) } ?? "", document.id,
                            blob.path.description, isMissing ? "missing" : "",
                        ])
                    }
                }
            }
            if let id, let document = try collection.storedDocument(id) {
                try list(document)
            } else {
                var isFound = false
                try collection.forEachStoredDocument(matching: id) { document in
                    isFound = true
                    try list(document)
                    return true
                }
                if let id, !isFound { throw Failure.noDocument(id, in: collection) }
            }
        }
        if !self.output.json { try table.finish() }
        try output.flush()
    }

    private func json(_ blob: DocumentBlob, of document: StoredDocument, isMissing: Bool) -> String {
        JSONWriter.object([
            "id": document.id, "property": blob.path.description, "digest": blob.digest, "type": blob.contentType, "length": blob.length,
            "missing": isMissing,
        ]).string
    }
}
