import DocumentStore
import Fleece

/// The decoding of one object out of stored values, which are read where they lie.
final class ModelDecoding {
    /// Which document the object is; nil when it is something else.
    struct Identity {
        let id: String
        let revision: RevisionID
    }

    let source: FleeceSource
    let identity: Identity?
    private var budget: ValueBudget

    init(_ source: FleeceSource, identity: Identity? = nil) {
        self.source = source
        self.identity = identity
        // Decoders may look at one value several times, to find out of which type it is.
        budget = ValueBudget(forBytes: source.data.bytes.count, times: 8)
    }

    /// Counts a value; false when they are more than the data can honestly hold.
    func takeValue() -> Bool { budget.take() }

    /// Decodes a document.
    ///
    /// - Throws: `DecodingError`, or what the type throws.
    static func decode<T: Decodable>(_ type: T.Type, from record: DocumentRecord, of database: Database) throws -> T {
        let source = FleeceSource(data: record.body, sharedKeys: record.sharedKeys, database: database)
        let decoding = ModelDecoding(source, identity: Identity(id: record.id, revision: record.revision))
        guard let root = record.body.root else { throw DecodingError.refusal(at: [], "its body is damaged") }
        return try T(from: ValueDecoder(decoding, .value(root)))
    }
}
