import DocumentStore

public final class Database: @unchecked Sendable {
    let blobStore: BlobStore?
    init(blobStore: BlobStore?) { self.blobStore = blobStore }
}

public final class Collection: Equatable, Hashable, @unchecked Sendable {
    public let database: Database
    init(database: Database) { self.database = database }
    public static func == (lhs: Collection, rhs: Collection) -> Bool { lhs === rhs }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    func revisionHistory(ofDocument id: String) -> String? { nil }
}

struct RevisionID: Sendable, Hashable {
    let bytes: [UInt8]
    init?(binary: UnsafeRawBufferPointer) { bytes = [UInt8](binary) }
    var description: String { "\(bytes)" }
}
