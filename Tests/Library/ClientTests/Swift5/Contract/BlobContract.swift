import CouchbaseLiteSwift
import Testing

@Suite("Declarations of blobs")
struct BlobContract {

    @Test("Blob has the declared members and protocols")
    func blob() {
        let _: any Equatable.Type = Blob.self
        let _: any Hashable.Type = Blob.self
        let _: any Codable.Type = Blob.self
        let _: String = Blob.blobType
        let _: String = Blob.typeProperty
        let _: String = Blob.blobDigestProperty
        let _: String = Blob.blobLengthProperty
        let _: String = Blob.blobContentType
        let _: (String, Data) -> Blob = Blob.init(contentType:data:)
        let _: (String, InputStream) -> Blob = Blob.init(contentType:contentStream:)
        let _: (String, URL) throws -> Blob = Blob.init(contentType:fileURL:)
        let _: KeyPath<Blob, Data?> = \.content
        let _: KeyPath<Blob, InputStream?> = \.contentStream
        let _: KeyPath<Blob, String?> = \.contentType
        let _: KeyPath<Blob, UInt64> = \.length
        let _: KeyPath<Blob, String?> = \.digest
        let _: KeyPath<Blob, [String: Any]> = \.properties
        let _: (Blob, Blob) -> Bool = (==)
        let _: (Blob) -> (inout Hasher) -> Void = Blob.hash(into:)
        let _: (Blob) -> () -> String = Blob.toJSON
        let _: ([String: Any]) -> Bool = Blob.isBlob(properties:)
        let _: (any Decoder) throws -> Blob = Blob.init(from:)
        let _: (Blob) -> (any Encoder) throws -> Void = Blob.encode(to:)
    }
}
