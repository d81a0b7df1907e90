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

    /// How many bytes the database file and its log have; blobs not counted.
    package var sizeOnDisk: UInt64 { BundlePath.size(of: bundle.sqliteFile) + bundle.logSize }
}
