import DocumentStore
import ExactStrings
import Fleece
import QueryEngine

extension Parameters {
    /// Returns the values in the form in which the engine binds them. The content of a blob that was never saved is encoded inline, because
    /// it is not stored in the database.
    ///
    /// - Throws: The encoding error of a value that cannot be encoded.
    func queryParameters() throws -> QueryParameters {
        var encoded = QueryParameters()
        for (name, value) in values.lazy.map({ ($0.key.string, $0.value) }) {
            var encoder = Encoder()
            var context = EncodingContext(inliningNewBlobs: true)
            try value.encode(of: nil, into: &encoder, &context) { blob in
                guard let digest = blob.digest.flatMap({ BlobDigest($0) }) else {
                    _CBLMisuse.invalidArgument("A parameter holds a blob whose digest is malformed.")
                }
                return digest
            }
            encoded[name] = try encoder.finishedData()
        }
        return encoded
    }
}
