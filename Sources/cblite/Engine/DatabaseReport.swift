import CouchbaseLiteSwift
import DocumentStore
import ExactStrings
import Fleece
import QueryEngine

/// What `info` shows of a database. The public API has no file version, UUIDs, shared keys, tombstones and sequences.
struct DatabaseReport {
    struct Collection {
        let name: String
        let documents: UInt64
        let tombstones: UInt64
        let lastSequence: UInt64
    }

    let path: String
    let version: Int
    let release: String
    let size: UInt64
    let publicUUID: String?
    let privateUUID: String?
    let sharedKeys: Int
    let blobCount: Int
    let blobSize: UInt64
    let collections: [Collection]
    let indexes: [(collection: String, name: String)]

    init(_ opening: Opening) throws {
        self = try opening.withFile(isBounded: true) { try DatabaseReport($0) }
    }

    private init(_ file: DatabaseFile) throws {
        path = file.bundle.directory
        version = Int(file.versionFound.number)
        release = file.versionFound.introducedBy
        size = file.sizeOnDisk
        publicUUID = try file.publicUUID().map(\.hexadecimal)
        privateUUID = try file.privateUUID().map(\.hexadecimal)
        sharedKeys = try file.sharedKeys.count
        let blobs = try file.blobs.digests()
        blobCount = blobs.count
        blobSize = try blobs.reduce(0) { try $0 + (file.blobs.size(of: $1) ?? 0) }
        let stores = try file.collectionIDs().compactMap { try file.collection($0) }
        collections = try stores.map { store in
            Collection(
                name: store.id.fullName,
                documents: try store.count(),
                tombstones: try store.deletedCount(),
                lastSequence: try store.lastSequence()
            )
        }
        let registry = IndexRegistry(file)
        indexes = try stores.flatMap { store in try registry.indexes(of: store).map { (store.id.fullName, $0.name) } }
    }
}

/// What `collections` shows of a collection. The public API has neither tombstones nor sequences.
struct CollectionReport {
    let name: String
    let documents: UInt64
    let tombstones: UInt64
    let lastSequence: UInt64
    let indexes: [String]

    static func all(_ opening: Opening) throws -> [CollectionReport] {
        try opening.withFile(isBounded: true) { file in
            let registry = IndexRegistry(file)
            return try file.collectionIDs().compactMap { try file.collection($0) }.map { store in
                CollectionReport(
                    name: store.id.fullName,
                    documents: try store.count(),
                    tombstones: try store.deletedCount(),
                    lastSequence: try store.lastSequence(),
                    indexes: try registry.indexes(of: store).map(\.name)
                )
            }
        }
    }
}

extension Database {
    /// Returns the size of the database file and its log in bytes, and the number of blobs. The public API has neither.
    func storedSize() throws -> (bytes: UInt64, blobs: Int) {
        let file = try openFile()
        return (file.sizeOnDisk, try file.blobs.digests().count)
    }

    /// Compacts the database like the public function, and reports the number of pages that were released, and of all that will be.
    func compact(progress: (Int, _ total: Int) throws -> Void) throws { try openFile().compact(progress: progress) }
}
