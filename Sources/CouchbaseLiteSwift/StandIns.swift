// Stand in until the database and its collections are there.

import DocumentStore

public final class Database: Sendable {
    struct File {
        let blobs: BlobStore
    }
    private let blobs: BlobStore?
    init(blobs: BlobStore?) { self.blobs = blobs }
    func openFile() throws -> File {
        guard let blobs else { throw NSError.couchbaseLite(code: CBLError.notOpen, message: "closed") }
        return File(blobs: blobs)
    }
}

public final class Collection: Equatable, Hashable, Sendable {
    public let database: Database
    init(database: Database) { self.database = database }
    public static func == (lhs: Collection, rhs: Collection) -> Bool { lhs === rhs }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    func revisionHistory(ofDocument id: String) -> String? { nil }
}
