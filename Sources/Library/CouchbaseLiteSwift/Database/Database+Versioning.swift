import DatabaseRuntime
import DocumentStore

extension Database {
    /// Names new revisions by version vectors from now on, as Couchbase Lite 4.x does. This cannot be undone, and Couchbase Lite 3.x must not
    /// open the database afterwards.
    ///
    /// No document is rewritten now: each is converted by its next change, and keeps the ID of its last revision and the revisions that
    /// remote databases are known to have. Does nothing if the database has version vectors already.
    ///
    /// Afterwards, its replicators can use Sync Gateway 4 and databases that have version vectors, and no longer databases with revision trees, as
    /// those of Couchbase Lite 3.x; from Sync Gateway 3 they can only pull. Its listeners serve databases of both kinds, so the database of the
    /// listener is the first one to upgrade. All of its replicators and listeners must have stopped before.
    ///
    /// - Throws: ``CBLError/busy`` if a replicator or a listener for other devices uses the database, or another process keeps it locked for
    ///   more than 10 seconds; ``CBLError/unsupported`` if ``DatabaseConfiguration/versioning`` requires revision trees;
    ///   ``CBLError/notOpen`` if the database is closed; ``CBLError/notWriteable`` as for ``Collection/save(document:)``.
    public func upgradeToVersionVectors() throws {
        try throwingPublicErrors {
            try withFile { file in
                guard core.options.versioning != .trees else {
                    throw StoreError.versionVectors(path: file.bundle.directory, reason: "the configuration requires revision trees")
                }
                guard !core.activities.areRunning else { throw StoreError.inUse(path: file.bundle.directory) }
                try file.upgradeToVersionVectors()
            }
        }
    }
}
