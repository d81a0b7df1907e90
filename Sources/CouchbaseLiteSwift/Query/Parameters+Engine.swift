import DocumentStore
import Fleece
import QueryEngine

extension Parameters {
    /// The values as the engine binds them.
    ///
    /// - Throws: An error for a value that cannot be encoded.
    func queryParameters() throws -> QueryParameters {
        var encoded = QueryParameters()
        for (name, value) in values {
            var encoder = Encoder()
            var context = EncodingContext()
            try value.encode(of: nil, into: &encoder, &context) { blob in
                guard let digest = blob.digest.flatMap({ BlobDigest($0) }) else {
                    _CBLMisuse.invalidArgument("A parameter holds a blob that has never been saved.")
                }
                return digest
            }
            encoded[name] = try encoder.finishedData()
        }
        return encoded
    }
}
