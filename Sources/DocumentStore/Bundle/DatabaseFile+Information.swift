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

    /// The ID that is never shown to others, which is given to the database now if it has none: 16 bytes.
    package func ensuredPrivateUUID() throws -> [UInt8] {
        if let known = try privateUUID() { return known }
        return try transaction { writer in
            if let known = try InfoStore.bytes(InfoStore.privateUUID, on: writer.connection) { return known }
            let made = InfoStore.makeUUID()
            try InfoStore.set(InfoStore.privateUUID, to: made, on: writer.connection)
            return made
        }
    }

    /// The private ID of the database that this one is a copy of: 16 bytes; nil when it is none (Storage format 2.6).
    package func previousPrivateUUID() throws -> [UInt8]? {
        try read { try InfoStore.bytes(InfoStore.previousPrivateUUID, on: $0.connection) }
    }

    /// How many bytes the database file and its log have; blobs not counted.
    package var sizeOnDisk: UInt64 { BundlePath.size(of: bundle.sqliteFile) + bundle.logSize }
}
