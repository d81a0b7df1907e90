import SQLiteEngine

/// The version of the documents, which the app's migrations raise (Storage format 2.6).
extension DatabaseFile {
    /// Returns the version; 0 if none was stored.
    package func contentVersion() throws -> UInt64 {
        try readDocuments { try InfoStore.integer(InfoStore.contentVersion, on: $0.connection) ?? 0 }
    }

    /// Stores the version. Must be called in a transaction.
    package func setContentVersion(_ version: UInt64) throws {
        try transaction { try InfoStore.set(InfoStore.contentVersion, to: InfoStore.encode(version), on: $0.connection) }
    }

    /// Returns whether opening this file has created it, and no document was stored in it since.
    package func isUnused() throws -> Bool {
        guard versionFound == .none else { return false }
        return try readDocuments { try InfoStore.lastSequences(on: $0.connection).isEmpty }
    }
}
