/// A blob is coded as a property of a model class only (see ``DocumentID``): other coders have nowhere to put its content.
extension Blob: Codable {
    /// Reads the blob at the place of a document or a query's result that `decoder` stands at.
    ///
    /// - Throws: `DecodingError` when there is something else; ``CBLError/decodingError`` with any other decoder.
    public convenience init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self.init(source: decoder.decoding.source, value: try decoder.blobValue)
            return
        }
        throw NSError.couchbaseLite(code: CBLError.decodingError, message: "A blob can only be decoded as a part of a document")
    }

    /// Writes the blob as a value of the document that `encoder` writes.
    ///
    /// - Throws: What storing the content throws; ``CBLError/encodingError`` with any other encoder.
    public func encode(to encoder: any Swift.Encoder) throws {
        if let encoder = encoder as? ValueEncoder { return try encoder.writeSingle(self) }
        throw NSError.couchbaseLite(code: CBLError.encodingError, message: "A blob can only be encoded as a part of a document")
    }
}
