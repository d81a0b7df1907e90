import SQLiteEngine

/// How the revisions of the database are named (Version vectors 3.1).
extension DatabaseFile {
    /// Returns whether new revisions get version vectors, as in 4.x. Documents can still have trees, until they are changed.
    package func hasVersionVectors() throws -> Bool {
        try read { try InfoStore.integer(InfoStore.versioning, on: $0.connection) == InfoStore.versionVectors }
    }

    /// Checks that the documents have revision trees.
    ///
    /// - Parameter reason: Why they must, as the end of the message of the error.
    /// - Throws: `versionVectors`.
    package func checkHasTrees(for reason: String) throws {
        if try hasVersionVectors() { throw StoreError.versionVectors(path: bundle.directory, reason: reason) }
    }

    /// Gives new revisions version vectors from now on, which cannot be undone. No document is rewritten: each is converted by its next change
    /// (Version vectors 3.7). Does nothing if they have vectors already.
    ///
    /// Replication with peers that have revision trees must have ended: it cannot go on.
    ///
    /// - Returns: Whether the database had revision trees.
    @discardableResult
    package func upgradeToVersionVectors() throws -> Bool {
        try transaction { writer in
            guard !writer.usesVersions else { return false }
            try InfoStore.set(InfoStore.versioning, to: InfoStore.encode(InfoStore.versionVectors), on: writer.connection)
            writer.useVersions()
            return true
        }
    }
}
