import Foundation
import SQLiteEngine

extension DatabaseFile {
    /// The ID that peers know the database by: 16 bytes; nil when it has not been given one (Storage format 2.6).
    package func publicUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.publicUUID, on: $0.connection) }
    }

    /// The ID that is never shown to others: 16 bytes; nil when it has not been given one (Storage format 2.6).
    package func privateUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.privateUUID, on: $0.connection) }
    }

    /// The names of all indexes of documents with the store of the collection they belong to, in order
    /// (Storage format 5.1). Files before 301 do not list them.
    package func indexNames() throws -> [(store: String, name: String)] {
        try read { context in
            guard try context.connection.scalar("SELECT 1 FROM sqlite_master WHERE name = 'indexes'") != nil else {
                return []
            }
            let statement = try context.connection.prepare("SELECT keyStore, name FROM indexes ORDER BY 1, 2")
            defer { statement.finalize() }
            var result: [(store: String, name: String)] = []
            while try statement.step() { result.append((statement.text(at: 0), statement.text(at: 1))) }
            return result
        }
    }

    /// How many bytes the database file and its log have; blobs not counted.
    package var sizeOnDisk: UInt64 {
        [bundle.sqliteFile, bundle.writeAheadLog].reduce(0) { sum, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            return sum + ((attributes?[.size] as? NSNumber)?.uint64Value ?? 0)
        }
    }
}
