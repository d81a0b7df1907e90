import SQLiteEngine

/// How the revisions of the database are named (Version vectors 3.1).
extension DatabaseFile {
    /// Returns whether new revisions get version vectors, as in 4.x. Documents can still have trees, until they are changed.
    package func hasVersionVectors() throws -> Bool {
        try read { try hasVersionVectors(on: $0) }
    }

    /// Returns the same in a read that has begun.
    func hasVersionVectors(on context: ConnectionContext) throws -> Bool {
        try InfoStore.integer(InfoStore.versioning, on: context.connection) == InfoStore.versionVectors
    }

    /// Returns the ID that other databases know this one by in versions (Version vectors 2.1); `nil` if it has revision trees.
    ///
    /// - Throws: `corrupt` if it has version vectors and no public UUID.
    package func versionSource() throws -> SourceID? { try hasVersionVectors() ? identity() : nil }

    /// Returns the public UUID as the ID of the database in versions.
    ///
    /// - Throws: `corrupt` if there is none.
    func identity() throws -> SourceID {
        guard let id = try publicUUID().flatMap({ SourceID($0) }) else {
            throw StoreError.corrupt(path: bundle.directory, reason: "it has no public UUID")
        }
        return id
    }

    /// Checks that the documents have revision trees.
    ///
    /// - Parameter reason: Why they must, as the end of the message of the error.
    /// - Throws: `versionVectors`.
    package func checkHasTrees(for reason: String) throws {
        if try hasVersionVectors() { throw StoreError.versionVectors(path: bundle.directory, reason: reason) }
    }
}
