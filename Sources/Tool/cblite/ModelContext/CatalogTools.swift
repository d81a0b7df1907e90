import CouchbaseLiteSwift
import Fleece

/// Lists databases and their collections.
struct CollectionsTool: AssistantTool {
    let name = "collections"
    let description = "Lists the databases and their collections, with the numbers of documents and the names of indexes."
    let arguments = [ToolArgument("database", .string, "The name of a database. Default: all.")]
    private let databases: ServedDatabases

    init(_ databases: ServedDatabases) { self.databases = databases }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        let names = try arguments.string("database").map { [$0] } ?? databases.names()
        return try JSONWriter.object { writer in
            try writer.objects("databases", names) { writer, name in
                let opening = try databases.opening(name)
                writer.member("name", name)
                try writer.objects("collections", CollectionReport.all(opening)) { writer, collection in
                    writer.members(["name": collection.name, "documents": collection.counts.documents, "indexes": collection.indexes])
                }
            }
        }.string
    }
}

/// Describes the documents of a collection.
struct SchemaTool: AssistantTool {
    let name = "schema"
    let description = """
        Describes the documents of a collection by a sample of 1,000: their properties with types, how many documents have each, and an example; \
        and the indexes of the collection.
        """
    let arguments = [ToolArgument.database, .collection]
    private let databases: ServedDatabases

    init(_ databases: ServedDatabases) { self.databases = databases }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        try databases.opening(arguments.string("database")).using(.reading) { database in
            let collection = try arguments.collection(in: database)
            let sample = try SampledProperties(collection)
            let indexes = try collection.indexDescriptions()
            return JSONWriter.object { writer in
                writer.members(["collection": collection.fullName, "documents": collection.count, "sampled": sample.documents])
                writer.objects("properties", sample.properties) { writer, property in
                    writer.members(["path": property.path, "types": property.types, "documents": property.documents])
                    // It may be cut, so it is a text.
                    writer.member("example", property.example)
                }
                writer.objects("indexes", indexes) { writer, index in
                    writer.members(["name": index.name, "kind": index.kind, "expressions": index.expressions, "condition": index.condition])
                }
            }.string
        }
    }
}

/// Returns one document.
struct DocumentTool: AssistantTool {
    let name = "document"
    let description = "Returns a document with its ID as _id and its revision as _rev."
    let arguments = [ToolArgument.database, .collection, ToolArgument("id", .string, "The ID of the document.", isRequired: true)]
    private let databases: ServedDatabases
    private let limits: ToolLimits

    init(_ databases: ServedDatabases, _ limits: ToolLimits) { (self.databases, self.limits) = (databases, limits) }

    func call(_ arguments: MessageArguments, endedBy cancellation: RunCancellation) throws -> String {
        let id = try arguments.requiredString("id")
        return try databases.opening(arguments.string("database")).using(.reading) { database in
            let collection = try arguments.collection(in: database)
            guard let document = try collection.storedDocument(id) else {
                throw Failure(
                    .notFound,
                    "there is no document \"\(id)\" in \(collection.fullName)",
                    hint: "Find IDs with the tool query: SELECT META().id FROM \(collection.fullName) LIMIT 20"
                )
            }
            return try document.text(atMost: limits.bytes)
        }
    }
}

extension StoredDocument {
    /// Returns the document as JSON, with its ID and revision.
    ///
    /// - Throws: ``Failure`` if it is larger than `size` bytes.
    func text(atMost size: Int) throws -> String {
        var writer = DocumentJSON()
        return try writer.withText(of: self, includingRevision: true) { text in
            guard text.count <= size else {
                throw Failure(
                    .usage,
                    "document \"\(id)\" has \(text.count) bytes, more than the limit of \(size)",
                    hint: "Select some of its properties with the tool query."
                )
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
}
