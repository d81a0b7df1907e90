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
    /// As long as the database has revision trees, its replicators record in it which targets serve revision trees only: a Sync Gateway before
    /// 4.0, by the `Server` field of its response, and a database with revision trees in the same app. The upgrade is refused while such a target is
    /// recorded. Upgrade the target first, and let its replicator connect once, which removes the record. A target to which no replicator has
    /// connected for long, or never will, stays recorded until one connects or the app passes `ignoringRemotes`. A server that does not show
    /// its kind, such as a listener, a hub, or a gateway that hides its version, is not recorded and changes no record; nor is the peer of a
    /// ``MessageEndpoint``.
    ///
    /// - Parameter ignoringRemotes: Whether the database is upgraded although such targets are recorded, for an app that only pulls from them or does
    ///   not use them any more. The default is `false`.
    /// - Throws: ``CBLError/busy`` if a replicator or a listener for other devices uses the database, or another process keeps it locked for
    ///   more than 10 seconds; ``CBLError/unsupported`` if ``DatabaseConfiguration/versioning`` requires revision trees, or if a target is
    ///   recorded that serves revision trees only, which the message names; ``CBLError/corruptData`` if the file lacks what versions need;
    ///   ``CBLError/notOpen`` if the database is closed; ``CBLError/notWriteable`` as for ``Collection/save(document:)``.
    public func upgradeToVersionVectors(ignoringRemotes: Bool = false) throws {
        try throwingPublicErrors {
            try withFile { file in
                guard core.options.versioning != .trees else {
                    throw StoreError.versionVectors(path: file.bundle.directory, reason: "the configuration requires revision trees")
                }
                guard !core.activities.areRunning else { throw StoreError.inUse(path: file.bundle.directory) }
                try file.upgradeToVersionVectors(ignoringRemotes: ignoringRemotes)
            }
        }
    }
}
