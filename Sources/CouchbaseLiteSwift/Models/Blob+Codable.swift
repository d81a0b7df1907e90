import ModelCoding

/// A blob can be encoded and decoded only as a property of a model class (see ``DocumentID``), because other coders cannot store its
/// content.
extension Blob: Codable {
    /// Decodes the blob at the current position of `decoder`, in a document or in the result of a query.
    ///
    /// - Throws: `DecodingError` if the value is not a blob; ``CBLError/decodingError`` if `decoder` does not read a document or result.
    public convenience init(from decoder: any Decoder) throws {
        if let (source, value) = try ModelDecoding.blob(from: decoder), let source = source as? FleeceSource {
            self.init(source: source, value: value)
            return
        }
        throw NSError.couchbaseLite(CBLError.decodingError, "A blob can only be decoded as a part of a document")
    }

    /// Encodes the blob as a value of the document that `encoder` writes, and stores its content.
    ///
    /// - Throws: The error of storing the content; ``CBLError/encodingError`` if `encoder` does not write a document.
    public func encode(to encoder: any Swift.Encoder) throws {
        if try ModelEncoding.write(blob: self, to: encoder) { return }
        throw NSError.couchbaseLite(CBLError.encodingError, "A blob can only be encoded as a part of a document")
    }
}
