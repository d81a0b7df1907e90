import Foundation
import SQLiteEngine

extension DatabaseFile {
    /// Returns the 16 bytes of the ID shown to peers, or `nil` if the database has none (Storage format 2.6).
    package func publicUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.publicUUID, on: $0.connection) }
    }

    /// Returns the 16 bytes of the private ID, which is never sent to peers, or `nil` if the database has none (Storage format 2.6).
    package func privateUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.privateUUID, on: $0.connection) }
    }

    /// Returns the 16 bytes of the private ID, which is created and stored if the database has none.
    package func ensuredPrivateUUID() throws -> [UInt8] {
        if let known = try privateUUID() { return known }
        return try transaction { writer in
            if let known = try InfoStore.bytes(InfoStore.privateUUID, on: writer.connection) { return known }
            let made = InfoStore.makeUUID()
            try InfoStore.set(InfoStore.privateUUID, to: made, on: writer.connection)
            return made
        }
    }

    /// Returns the 16 bytes of the private ID of the database from which this one was copied, or `nil` if it is not a copy (Storage format
    /// 2.6).
    package func previousPrivateUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.previousPrivateUUID, on: $0.connection) }
    }

    /// The size of the database file and its log in bytes, without blobs.
    package var sizeOnDisk: UInt64 { BundlePath.size(of: bundle.sqliteFile) + bundle.logSize }
}
