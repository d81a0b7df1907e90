import DocumentStore
import Fleece
import QueryEngine
import VectorSearch

extension InspectedDatabase {
    /// `GET indexes`: the indexes of all collections.
    func indexes(_ request: APIRequest) throws -> APIResponse {
        let file = try file
        let registry = IndexRegistry(file)
        var values: [AnswerObject] = []
        for store in try file.collectionIDs().sorted().compactMap({ try file.collection($0) }) {
            for index in try registry.indexes(of: store) {
                values.append(
                    [
                        "collection": store.id.fullName, "name": index.name, "kind": index.kind?.name,
                        "expressions": index.expressions, "sql": index.isSQL, "where": index.condition,
                        "path": index.arrayPath,
                    ]
                )
            }
        }
        return .json(["indexes": values])
    }

    /// `POST indexes`: creates an index of the kind `value`, `full-text`, `array` or `vector` from SQL++ expressions.
    func createIndex(_ request: APIRequest) throws -> APIResponse {
        try checkIsWritable()
        let object = try request.object()
        let (store, name) = (try collection(named: object.required("collection")), try object.required("name"))
        let expressions = try object.strings("expressions").joined(separator: ", ")
        let condition = try object.string("where").flatMap { $0.isEmpty ? nil : $0 }
        let kind: IndexDefinition.Kind
        switch try object.string("kind") ?? "value" {
        case "value": kind = .value
        case "full-text": kind = .fullText(FullTextIndexOptions(language: try object.string("language")))
        case "array": kind = .array(path: try object.required("path"))
        case "vector": kind = .vector(try vectorOptions(object))
        default: throw APIError(.badRequest, "the member \"kind\" must be value, full-text, array or vector")
        }
        let definition =
            if case .array = kind, expressions.isEmpty {
                IndexDefinition(name: name, kind: kind, expressions: [])
            } else {
                IndexDefinition(name: name, kind: kind, text: expressions, condition: condition)
            }
        try IndexRegistry(file).create(definition, on: store)
        return .json(["name": name, "created": true])
    }

    /// Returns the configuration of a vector index.
    private func vectorOptions(_ object: JSONObject) throws -> VectorIndexOptions {
        let name = try object.string("metric")
        guard let metric = name.map({ VectorMetric(name: $0) }) ?? .euclideanSquared else {
            throw APIError(.badRequest, "the member \"metric\" is none of a vector index")
        }
        let options = VectorIndexOptions(
            dimensions: Int(try object.number("dimensions", in: 0...4096, default: 0)),
            centroids: Int(try object.number("centroids", in: 0...64000, default: 0)),
            metric: metric
        )
        if let problem = options.problem { throw APIError(.badRequest, problem) }
        return options
    }

    /// `DELETE indexes`: deletes an index.
    func deleteIndex(_ request: APIRequest) throws -> APIResponse {
        try checkIsWritable()
        let (store, name) = (try collection(request), try request.required("name"))
        let registry = IndexRegistry(try file)
        guard try registry.indexes(of: store).contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw APIError(.notFound, "there is no index \"\(name)\" on \(store.id.fullName)")
        }
        try registry.delete(name, on: store)
        return .json(["name": name, "deleted": true])
    }
}
