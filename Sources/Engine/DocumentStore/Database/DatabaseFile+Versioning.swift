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
