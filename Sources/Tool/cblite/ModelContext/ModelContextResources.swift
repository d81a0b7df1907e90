import CouchbaseLiteSwift
import Fleece
import Foundation

/// The resources: each collection, by its first document IDs, and each document.
///
/// `cblite:///DATABASE/SCOPE.COLLECTION` and `cblite:///DATABASE/SCOPE.COLLECTION/ID`, with percent-encoded parts (RFC 3986, section 2.1).
struct ModelContextResources {
    private static let prefix = "cblite:///"
    private static let listedCount = 1_000
    private let databases: ServedDatabases

    init(_ databases: ServedDatabases) { self.databases = databases }

    func list() throws -> String {
        let names = try databases.names()
        return try JSONWriter.object { writer in
            writer.name("resources")
            try writer.array(names) { writer, name in
                let collections = try CollectionReport.all(databases.opening(name))
                for collection in collections {
                    writer.object { writer in
                        writer.members([
                            "uri": Self.uri([name, collection.name]), "name": "\(name)/\(collection.name)", "mimeType": "application/json",
                            "description": "\(collection.counts.documents.counted("document")) of the collection \(collection.name), by ID",
                        ])
                    }
                }
            }
        }.string
    }

    func templates() -> String {
        JSONWriter.object { writer in
            writer.objects("resourceTemplates", ["\(Self.prefix){database}/{collection}/{id}"]) { writer, template in
                writer.members([
                    "uriTemplate": template, "name": "document", "mimeType": "application/json",
                    "description": "A document by its database, collection and ID",
                ])
            }
        }.string
    }

    /// - Throws: ``ProtocolError`` if the resource does not exist; ``Failure`` if the URI has another form.
    func read(_ uri: String) throws -> String {
        let parts =
            uri.hasPrefix(Self.prefix) ? uri.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false) : []
        let names = parts.compactMap { $0.removingPercentEncoding }
        guard (2...3).contains(parts.count), names.count == parts.count else {
            throw Failure(.usage, "the URI has not the form \(Self.prefix)DATABASE/COLLECTION/ID", hint: nil)
        }
        do {
            let text = try databases.opening(names[0]).using(.reading) { database in
                let collection = try CollectionName(names[1]).open(in: database)
                return names.count == 2 ? try Self.ids(of: collection) : try Self.document(names[2], in: collection)
            }
            return JSONWriter.object { writer in
                writer.objects("contents", [text]) { writer, text in
                    writer.members(["uri": uri, "mimeType": "application/json", "text": text])
                }
            }.string
        } catch let failure as Failure where failure.status == .notFound {
            throw ProtocolError(.resourceNotFound, failure.text, id: nil)
        }
    }

    private static func ids(of collection: DocumentCollection) throws -> String {
        var ids: [String] = []
        try collection.forEachStoredDocument { document in
            ids.append(document.id)
            return ids.count < listedCount
        }
        return JSONWriter.object(["collection": collection.fullName, "documents": collection.count, "ids": ids]).string
    }

    private static func document(_ id: String, in collection: DocumentCollection) throws -> String {
        guard let document = try collection.storedDocument(id) else { throw Failure.noDocument(id, in: collection) }
        return try document.text(atMost: 1 << 20)
    }

    private static func uri(_ parts: [String]) -> String {
        prefix
            + parts.map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? "" }
            .joined(separator: "/")
    }
}
