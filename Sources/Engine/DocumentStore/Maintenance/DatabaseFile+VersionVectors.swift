import SQLiteEngine

/// Beginning to name revisions in another way.
extension DatabaseFile {
    /// Gives new revisions version vectors from now on, which cannot be undone. No document is rewritten: each is converted by its next change
    /// (Version vectors 3.7). Does nothing if they have vectors already.
    ///
    /// Replication with peers that have revision trees must have ended: it cannot go on. What the upgrade needs is checked before anything is
    /// written, without reading documents.
    ///
    /// - Parameter ignoringRemotes: Whether the database is upgraded although remote databases serve revision trees only, as far as the record of
    ///   ``noteKind(_:ofRemote:)`` says.
    /// - Returns: Whether the database had revision trees.
    /// - Throws: `remotesWithTrees` if there are such remotes; `corrupt` if the database has no public UUID, which is the source of its versions, or
    ///   if its list of remotes cannot be read; the errors of writing.
    @discardableResult
    package func upgradeToVersionVectors(ignoringRemotes: Bool = false) throws -> Bool {
        try transaction { writer in
            guard !writer.usesVersions else { return false }
            if !ignoringRemotes {
                let remotes = try remotesWithTrees()
                guard remotes.isEmpty else { throw StoreError.remotesWithTrees(path: bundle.directory, remotes: remotes) }
            }
            _ = try identity()
            // The record serves this decision only, and is not written any more.
            try InfoStore.remove(InfoStore.remotesWithTrees, on: writer.connection)
            try InfoStore.set(InfoStore.versioning, to: InfoStore.encode(InfoStore.versionVectors), on: writer.connection)
            writer.useVersions()
            // The clients know the trees, whose revisions would be forgotten otherwise.
            if try RawStore.peerCheckpoints.usage(keysFrom: "", in: writer).count > 0 { try nameRevisionsForTrees(in: writer) }
            return true
        }
    }

    /// Gives revisions names for clients with revision trees from now on, and returns the ID of the database (Version vectors 7.6). Writes only the
    /// first time.
    ///
    /// - Returns: `nil` if the database has revision trees itself.
    /// - Throws: The errors of writing.
    package func serveTreeClients() throws -> SourceID? {
        let (isReady, source) = try read { context in
            (try InfoStore.integer(InfoStore.treeClients, on: context.connection) == 1, try versionSource())
        }
        guard let source else { return nil }
        if !isReady { try transaction { try nameRevisionsForTrees(in: $0) } }
        return source
    }

    private func nameRevisionsForTrees(in writer: Writer) throws {
        guard writer.treeNaming == nil else { return }
        try InfoStore.set(InfoStore.treeClients, to: InfoStore.encode(1), on: writer.connection)
        try writer.useTreeNames()
    }
}
