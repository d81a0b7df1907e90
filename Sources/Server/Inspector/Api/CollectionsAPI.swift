import DocumentStore
import QueryEngine

extension InspectedDatabase {
    /// `GET database`: what the file is.
    func information(_ request: APIRequest) throws -> APIResponse {
        let file = try file
        return .json(
            .object([
                ("name", .string(name)),
                ("path", .string(file.bundle.directory)),
                ("version", .count(file.versionFound.number)),
                ("release", .string(file.versionFound.introducedBy)),
                ("readOnly", .boolean(isReadOnly)),
                ("notice", .text(source.notice)),
                ("encrypted", .boolean(source.isEncrypted)),
                ("size", .count(file.sizeOnDisk)),
            ])
        )
    }

    /// What the list of databases tells about this one.
    var summary: JSONValue {
        let size = (try? file).map { JSONValue.count($0.sizeOnDisk) }
        return .object([("name", .string(name)), ("size", size ?? .null), ("replication", source.replication?().json ?? .null)])
    }

    /// `GET collections`: all collections, with their counts as far as they are known.
    func collections(_ request: APIRequest) throws -> APIResponse { .json(.array(try collectionValues(counting: false))) }

    /// Returns what is told about each collection.
    ///
    /// - Parameter counting: Whether those whose counts are not known are counted in the background, which reads all documents.
    func collectionValues(counting: Bool) throws -> [JSONValue] {
        let file = try file
        let registry = IndexRegistry(file)
        let stores = try file.collectionIDs().sorted().compactMap { try file.collection($0) }
        return try stores.map { store in
            let state = try file.read { try StoreCounts(of: store.tables.store, on: $0.connection) }
            let count = counting ? counts.count(store, of: file, state: state) : counts.known(store)
            return .object([
                ("name", .string(store.id.fullName)),
                ("documents", count.map { .count($0.documents) } ?? .null),
                ("tombstones", count.map { .count($0.tombstones) } ?? .null),
                ("lastSequence", .count(state.lastSequence)),
                ("purged", .count(state.purgeCount)),
                ("indexes", .strings(try registry.indexes(of: store).map(\.name))),
            ])
        }
    }

    /// `GET schema`: the properties in a sample of the documents of a collection.
    func schema(_ request: APIRequest) throws -> APIResponse {
        let count = try request.number("documents", in: 1...10_000, default: 500)
        let sample = try CollectionSample(collection(request), documents: count)
        let properties = sample.properties.map { property -> JSONValue in
            let types = property.types.map { JSONValue.object([("name", .string($0.name)), ("count", .count($0.count))]) }
            return .object([
                ("path", .string(property.path)), ("documents", .count(property.documents)), ("types", .array(types)),
                ("example", .text(property.example)),
            ])
        }
        return .json(.object([("documents", .count(sample.documents)), ("properties", .array(properties))]))
    }

    /// `GET words`: the words of the query language, for completion.
    func words(_ request: APIRequest) -> APIResponse {
        .json(.object([("keywords", .strings(QueryNames.keywords)), ("functions", .strings(QueryNames.functions))]))
    }
}
