import CouchbaseLiteSwift
import QueryEngine

/// The properties that are found in a sample of a collection's documents, for the shell.
struct SampledProperties {
    struct Property {
        /// The path, as `geo.lat` or `tags[]`.
        let path: String
        /// The number of documents in the sample that have the property.
        let documents: Int
        /// The types of its values, the most frequent first.
        let types: [String]
        /// One of the values as JSON.
        let example: String?
    }

    /// The number of documents that were read.
    let documents: Int
    /// The properties in the order in which they were found.
    let properties: [Property]

    init(_ collection: DocumentCollection, documents count: Int = 1_000) throws {
        let sample = try CollectionSample(collection.store, documents: count)
        documents = sample.documents
        properties = sample.properties.map { property in
            let types = property.types.sorted { $0.count > $1.count }.map(\.name)
            return Property(path: property.path, documents: property.documents, types: types, example: property.example)
        }
    }
}

/// The words of the query language, for completion.
enum LanguageWords {
    static let keywords = QueryNames.keywords
    static let functions = QueryNames.functions
}
