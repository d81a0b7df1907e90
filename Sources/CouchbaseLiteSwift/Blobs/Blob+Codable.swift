/// A blob is coded as a part of a document only: other coders have nowhere to put its content.
extension Blob: Codable {
    /// Always throws ``CBLError/decodingError``.
    public convenience init(from decoder: any Decoder) throws {
        throw NSError.couchbaseLite(
            code: CBLError.decodingError,
            message: "A blob can only be decoded as a part of a document"
        )
    }

    /// Always throws ``CBLError/encodingError``.
    public func encode(to encoder: any Swift.Encoder) throws {
        throw NSError.couchbaseLite(
            code: CBLError.encodingError,
            message: "A blob can only be encoded as a part of a document"
        )
    }
}
