import DocumentStore
import QueryEngine

extension InspectedDatabase {
    /// `GET database`: what the file is.
    func information(_ request: APIRequest) throws -> APIResponse {
        let file = try file
        return .json(
            [
                "name": name,
                "path": file.bundle.directory,
                "version": file.versionFound.number,
                "release": file.versionFound.introducedBy,
                "readOnly": isReadOnly,
                "notice": source.notice,
                "encrypted": source.isEncrypted,
                "size": file.sizeOnDisk,
            ]
        )
    }

    /// What the list of databases tells about this one.
    var summary: AnswerObject {
        let size = (try? file)?.sizeOnDisk
        return ["name": name, "size": size, "replication": source.replication?().json]
    }

    /// `GET collections`: all collections, with their counts as far as they are known.
    func collections(_ request: APIRequest) throws -> APIResponse { .json(try collectionValues(counting: false)) }

    /// Returns what is told about each collection.
    ///
    /// - Parameter counting: Whether those whose counts are not known are counted in the background, which reads all documents.
    func collectionValues(counting: Bool) throws -> [AnswerObject] {
        let file = try file
        let registry = IndexRegistry(file)
        let stores = try file.collectionIDs().sorted().compactMap { try file.collection($0) }
        return try stores.map { store in
            let state = try file.read { try StoreCounts(of: store.tables.store, on: $0.connection) }
            let count = counting ? counts.count(store, of: file, state: state) : counts.known(store)
            return [
                "name": store.id.fullName,
                "documents": count?.documents,
                "tombstones": count?.tombstones,
                "lastSequence": state.lastSequence,
                "purged": state.purgeCount,
                "indexes": try registry.indexes(of: store).map(\.name),
            ]
        }
    }

    /// `GET schema`: the properties in a sample of the documents of a collection.
    func schema(_ request: APIRequest) throws -> APIResponse {
        let count = try request.number("documents", in: 1...10_000, default: 500)
        let sample = try CollectionSample(collection(request), documents: count)
        let properties = sample.properties.map { property -> AnswerObject in
            let types: [AnswerObject] = property.types.map { ["name": $0.name, "count": $0.count] }
            return [
                "path": property.path, "documents": property.documents, "types": types,
                "example": property.example,
            ]
        }
        return .json(["documents": sample.documents, "properties": properties])
    }

    /// `GET words`: the words of the query language, for completion.
    func words(_ request: APIRequest) -> APIResponse {
        .json(["keywords": QueryNames.keywords, "functions": QueryNames.functions])
    }
}
