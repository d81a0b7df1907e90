import DocumentStore
import Fleece

/// The decoding of one object from stored values, which are read in place.
final class ModelDecoding {
    /// The document from which the object is decoded.
    struct Identity {
        let id: String
        let revision: RevisionID
    }

    let source: FleeceSource
    /// The document; `nil` if the object is decoded from something else.
    let identity: Identity?
    private var budget: ValueBudget

    init(_ source: FleeceSource, identity: Identity? = nil) {
        self.source = source
        self.identity = identity
        // A decoder may decode one value several times to find its type.
        budget = ValueBudget(forBytes: source.data.bytes.count, times: 8)
    }

    /// Counts a value; returns `false` if there are more values than valid data of this size can contain.
    func takeValue() -> Bool { budget.take() }

    /// Decodes a document.
    ///
    /// - Throws: `DecodingError`, or an error that the type throws.
    static func decode<T: Decodable>(_ type: T.Type, from record: DocumentRecord, of database: Database) throws -> T {
        let source = FleeceSource(data: record.body, sharedKeys: record.sharedKeys, database: database)
        let decoding = ModelDecoding(source, identity: Identity(id: record.id, revision: record.revision))
        guard let root = record.body.root else { throw DecodingError.refusal(at: [], "the body of the document is damaged") }
        return try T(from: ValueDecoder(decoding, .value(root)))
    }
}
