/// Translates revisions of one database for another one: in each, the database itself is "me" in versions (Version vectors 2.1).
package struct RevisionTranslation {
    /// The identities of both databases; `nil` if the source has revision trees.
    private let identities: (source: SourceID, destination: SourceID)?

    /// - Throws: `revisionTrees` if only the source has version vectors; `corrupt` if one of them has no identity.
    package init(from source: DatabaseFile, to destination: DatabaseFile) throws {
        guard try source.hasVersionVectors() else {
            identities = nil
            return
        }
        guard try destination.hasVersionVectors() else { throw StoreError.revisionTrees(path: destination.bundle.directory) }
        identities = (try source.identity(), try destination.identity())
    }

    /// Returns the copy of a revision of the source, for the destination.
    package func received(copying revision: OutgoingRevision) -> ReceivedRevision {
        var received = ReceivedRevision(copying: revision)
        received.revision = translated(received.revision)
        received.history = received.history.map(translated)
        return received
    }

    private func translated(_ id: RevisionID) -> RevisionID {
        guard let identities else { return id }
        return id.absolute(identities.source).relative(to: identities.destination)
    }
}
