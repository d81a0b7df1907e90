package import Fleece

/// The decoding of one object from stored values, which are read in place.
package final class ModelDecoding {
    let source: any ModelSource
    let sharedKeys: SharedKeys
    let types: ModelTypes
    /// The document; `nil` if the object is decoded from something else.
    let identity: ModelIdentity?
    /// The ID of the document, if the model has a key for it.
    private let encodedID: FleeceData?
    /// Whether this decodes the default value of a type, in which no property is missing.
    let isDefault: Bool
    /// The counters of the model that has encoded what is decoded; `nil` if it is decoded from something else.
    let counters: EncodedCounters?
    /// Limits the number of values to that which valid data of this size can contain.
    var budget: ValueBudget

    /// Begins to decode from `source`, whose data must stay unchanged as long as this object is used.
    ///
    /// - Parameter identity: The document that the data is the body of; `nil`, the default, if it is something else.
    package convenience init(_ source: any ModelSource, types: ModelTypes, identity: ModelIdentity? = nil) {
        self.init(source, types: types, identity: identity, isDefault: false)
    }

    init(
        _ source: any ModelSource,
        types: ModelTypes,
        identity: ModelIdentity? = nil,
        isDefault: Bool,
        counters: EncodedCounters? = nil
    ) {
        (self.isDefault, self.counters) = (isDefault, counters)
        self.source = source
        self.types = types
        self.identity = identity
        encodedID = identity?.encodedID
        sharedKeys = source.sharedKeys
        // A decoder may decode one value several times to find its type.
        budget = ValueBudget(forBytes: source.data.bytes.count, times: 8)
    }

    /// The key for which the model gets the ID of the document, and the ID.
    var idEntry: (key: String, value: Value)? {
        guard let key = identity?.key, let value = encodedID?.root else { return nil }
        return (key, value)
    }

    /// Decodes the body of a document.
    ///
    /// - Parameter body: A part of the source's data; `nil` if the data has no root.
    /// - Throws: `DecodingError`, or an error that the type throws.
    package func decode<T: Decodable>(_ type: T.Type, from body: Value?) throws -> T {
        guard let body else { throw DecodingError.refusal(at: [], "the body of the document is damaged") }
        return try T(from: ValueDecoder(self, .value(body), as: type))
    }

    /// Decodes a row of a query's results.
    ///
    /// - Throws: ``ResultRowError`` if the row has no value for a property; `DecodingError`, or an error that the type throws.
    package func decode<T: Decodable>(_ type: T.Type, from row: ResultRow) throws -> T {
        do {
            return try T(from: ValueDecoder(self, .row(row), as: type))
        } catch let error as DecodingError {
            if case .keyNotFound(_, let context) = error, context.codingPath.isEmpty { throw ResultRowError.missingValue(error) }
            throw error
        }
    }

    /// Returns the blob at the current position of a decoder that this module has passed to a type, and the source of which it is a part;
    /// `nil` for any other decoder.
    ///
    /// - Throws: `DecodingError` if the value is not a blob.
    package static func blob(from decoder: any Swift.Decoder) throws -> (source: any ModelSource, value: Value)? {
        guard let decoder = decoder as? ValueDecoder else { return nil }
        return (decoder.decoding.source, try decoder.blobValue)
    }
}
