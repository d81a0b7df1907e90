import DocumentStore
import Fleece
import ModelCoding

/// What a save does with properties of the stored document that the type of the model does not have, such as those that a newer version of
/// the app has written.
public enum UnknownFields: Sendable {
    /// They are kept.
    ///
    /// The keys that a type has are those of its `CodingKeys`, and those that it reads when sample values are decoded. A key that the type
    /// has but did not encode is removed; a property that is `nil` is null. The same applies to structures within the model. Arrays and
    /// dictionaries are replaced as a whole.
    ///
    /// If the keys cannot be determined, because the type has no `CodingKeys` and rejects sample values, all keys that it did not encode
    /// are kept: then a save removes no property. Values within such a type are replaced as a whole.
    case keep
    /// They are removed: the document contains what the model encodes.
    case drop
}

/// The documents of a collection as values of a model type, returned by ``Collection/models(_:unknownFields:)``.
///
/// ```swift
/// struct Note: Codable, Identifiable {
///     @DocumentID var id: String?
///     var title: String
/// }
/// let notes = try database.defaultCollection().models(Note.self)
/// var note = Note(title: "Hello")
/// try notes.save(&note)
/// note.title = "Hello again"
/// try notes.save(&note)
/// ```
///
/// The type is a structure, or another `Codable` type, and says what the ID of a document is in one of two ways:
/// - A property marked with ``DocumentID`` contains the ID, and also the revision that was read or saved. A copy of a value keeps its
///   revision when another copy is saved, so that conflicts between copies are detected.
/// - The type is `Identifiable`, and its `id` is encoded as a string: a `String`, a `UUID`, or an enumeration or structure with a single
///   string. Such a value has no revision, so its changes overwrite concurrent ones.
///
/// In both ways the ID is not stored in the body of the document.
///
/// A type that is only `Decodable` can be read, queried, searched and observed, and needs no ID.
///
/// Thread-safe. The functions block while they read from or write to the disk; tasks call them inside of ``Database/read(_:)`` and
/// ``Database/write(_:)``.
public struct ModelCollection<Model: Decodable>: Sendable {
    /// The collection.
    public let collection: Collection
    /// What a save does with properties of the document that the type does not have.
    public let unknownFields: UnknownFields
    let shape: ModelShape

    /// Reads a document.
    ///
    /// - Parameter id: The document's ID; for a type without ``DocumentID`` the string as which its `id` is encoded.
    /// - Returns: `nil` if the document does not exist or was deleted.
    /// - Throws: ``CBLError/decodingError`` if a property that is not optional is missing or null, or has another type, or if the type does
    ///   not take its ID from the document; ``CBLError/invalidParameter`` if the type is `Codable` and has no ID; errors that
    ///   `init(from:)` of the type throws; the errors of ``Collection/document(id:)``.
    public func get(_ id: String) throws -> Model? {
        try collection.record(id).map { record in try throwingPublicErrors { try model(record) } }
    }

    /// Returns the stored document as a value.
    func model(_ record: DocumentRecord) throws -> Model {
        let source = FleeceSource(data: record.body, sharedKeys: record.sharedKeys, database: collection.database)
        return try shape.decode(Model.self, from: record.body.root, of: source, id: record.id, revision: record.revision)
    }

    /// Returns the query for the documents that satisfy a condition, which is Swift code. What is found can be read, counted, observed, changed
    /// and deleted; see ``ModelQuery``.
    ///
    /// ```swift
    /// let query = hotels.query(
    ///     where: #Predicate { $0.country == "France" && $0.reviews.contains { $0.stars >= 4 } },
    ///     orderBy: [SortDescriptor(\.name)],
    ///     limit: 10
    /// )
    /// for hotel in try query.all() { print(hotel.name) }
    /// ```
    ///
    /// The condition is translated to a database query, which uses indexes where possible; only the results are decoded. The guide
    /// <doc:PredicatesAndModels> lists the supported operators and the cases in which the database compares differently from Swift. The
    /// property that contains the ID stands for the ID of the document.
    ///
    /// Never throws and does not access the disk. If the condition contains an operator without a counterpart in the query language, or a
    /// property that is not stored in documents, the functions of the query throw ``CBLError/invalidQuery``; the message names it.
    ///
    /// - Parameters:
    ///   - predicate: The condition. Default: `nil`, all documents of the collection.
    ///   - sortDescriptors: The order. Default: none, the order is not specified.
    ///   - limit: The maximum number of documents. Default: `nil`, no limit. A negative limit selects none.
    ///   - offset: The number of documents to skip at the beginning; a negative offset skips none. Default: 0.
    public func query(
        where predicate: Predicate<Model>? = nil,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) -> ModelQuery<Model> {
        let selection = ModelSelection(predicate.map { .predicate($0) }, sortDescriptors, limit, offset)
        return ModelQuery(selection, in: collection, unknownFields, shape)
    }

    /// Returns the query for the documents that satisfy a condition in SQL++, for what `#Predicate` cannot express.
    ///
    /// ```swift
    /// let query = hotels.query(
    ///     where: "lower(name) LIKE \(pattern) AND array_length(reviews) > \(count)",
    ///     orderBy: [SortDescriptor(\.name)]
    /// )
    /// ```
    ///
    /// Interpolated values are bound as parameters and are never a part of the text, see ``QueryText``. The text names properties as they are
    /// stored, under their coding keys, and can use everything that a condition after `WHERE` can in a query that reads only this collection.
    /// Values of parameters that it names itself, such as `$city`, are set as ``Query/parameters`` of ``ModelQuery/query``.
    ///
    /// Never throws and does not access the disk. If the text is not one valid expression, the functions of the query throw
    /// ``CBLError/invalidQuery``, with the position in the text.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - sortDescriptors: The order. Default: none, the order is not specified.
    ///   - limit: The maximum number of documents. Default: `nil`, no limit. A negative limit selects none.
    ///   - offset: The number of documents to skip at the beginning; a negative offset skips none. Default: 0.
    public func query(
        where condition: QueryText,
        orderBy sortDescriptors: [SortDescriptor<Model>] = [],
        limit: Int? = nil,
        offset: Int = 0
    ) -> ModelQuery<Model> {
        let selection = ModelSelection<Model>(.text(condition.text), sortDescriptors, limit, offset)
        return ModelQuery(selection, in: collection, unknownFields, shape, parameters: condition.parameters)
    }
}

extension Collection {
    /// Returns the documents of the collection as values of a model type.
    ///
    /// Does not access the disk. The first call for a type decodes some sample values, to find out under which keys it is stored.
    ///
    /// - Parameters:
    ///   - type: The type of the values; see ``ModelCollection``.
    ///   - unknownFields: What a save does with properties of the stored document that the type does not have. Default: they are kept.
    public func models<Model: Decodable>(_ type: Model.Type = Model.self, unknownFields: UnknownFields = .keep) -> ModelCollection<Model> {
        ModelCollection(collection: self, unknownFields: unknownFields, shape: ModelShape.of(type, .ofAPI))
    }
}
