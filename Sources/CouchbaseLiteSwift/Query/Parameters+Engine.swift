import DocumentStore
import ExactStrings
import Fleece
import QueryEngine

extension Parameters {
    /// The values as the engine binds them. A blob that was never saved has its content with it: nothing is stored for it.
    ///
    /// - Throws: An error for a value that cannot be encoded.
    func queryParameters() throws -> QueryParameters {
        var encoded = QueryParameters()
        for (name, value) in values.lazy.map({ ($0.key.string, $0.value) }) {
            var encoder = Encoder()
            var context = EncodingContext(inliningNewBlobs: true)
            try value.encode(of: nil, into: &encoder, &context) { blob in
                guard let digest = blob.digest.flatMap({ BlobDigest($0) }) else {
                    _CBLMisuse.invalidArgument("A parameter holds a blob with a digest that is none.")
                }
                return digest
            }
            encoded[name] = try encoder.finishedData()
        }
        return encoded
    }
}
