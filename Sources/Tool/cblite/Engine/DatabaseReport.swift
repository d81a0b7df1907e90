import Base
import CouchbaseLiteSwift
import DocumentStore
import Fleece
import QueryEngine

/// What `info` shows of a database. The public API has no file version, UUIDs, shared keys, tombstones and sequences.
struct DatabaseReport {
    let path: String
    let version: (number: Int, release: String)
    let size: UInt64
    let uuids: (publicID: String?, privateID: String?)
    let sharedKeys: Int
    let blobs: (count: Int, size: UInt64)
    let collections: [CollectionReport]

    var indexes: [(collection: String, name: String)] {
        collections.flatMap { collection in collection.indexes.map { (collection.name, $0) } }
    }

    init(_ opening: Opening) throws { self = try opening.withFile(isBounded: true) { try DatabaseReport($0) } }

    private init(_ file: DatabaseFile) throws {
        path = file.bundle.directory
        version = (Int(file.versionFound.number), file.versionFound.introducedBy)
        size = file.sizeOnDisk
        uuids = (try file.publicUUID().map(\.hexadecimal), try file.privateUUID().map(\.hexadecimal))
        sharedKeys = try file.sharedKeys.count
        let digests = try file.blobs.digests()
        blobs = (digests.count, try digests.reduce(0) { try $0 + (file.blobs.size(of: $1) ?? 0) })
        collections = try CollectionReport.all(file)
    }
}

/// What `info` and `collections` show of a collection. The public API has neither tombstones nor sequences.
struct CollectionReport {
    let name: String
    /// The numbers of documents and tombstones.
    let counts: (documents: UInt64, tombstones: UInt64)
    let lastSequence: UInt64
    let indexes: [String]

    static func all(_ opening: Opening) throws -> [CollectionReport] { try opening.withFile(isBounded: true) { try all($0) } }

    fileprivate static func all(_ file: DatabaseFile) throws -> [CollectionReport] {
        let registry = IndexRegistry(file)
        return try file.collectionIDs().compactMap { try file.collection($0) }.map { store in
            CollectionReport(
                name: store.id.fullName,
                counts: (try store.count(), try store.deletedCount()),
                lastSequence: try store.lastSequence(),
                indexes: try registry.indexes(of: store).map(\.name)
            )
        }
    }
}

extension Database {
    /// Returns the size of the database file and its log in bytes, and the number of blobs. The public API has neither.
    func storedSize() throws -> (bytes: UInt64, blobs: Int) {
        let file = try openFile()
        return (file.sizeOnDisk, try file.blobs.digests().count)
    }

    /// Returns whether anything was ever stored in a collection, also if it was deleted again.
    func hasSequences() throws -> Bool {
        let file = try openFile()
        return try file.collectionIDs().contains { try file.collection($0)?.lastSequence() ?? 0 > 0 }
    }

    /// Compacts the database like the public function, and reports the number of pages that were released, and of all that will be.
    func compact(progress: (Int, _ total: Int) throws -> Void) throws { try openFile().compact(progress: progress) }
}
