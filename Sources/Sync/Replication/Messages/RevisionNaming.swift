import DocumentStore
import SyncCore

/// How the revisions of the database of a session are written in messages (Version vectors 2.4, 6).
///
/// A session that serves a client with revision trees from a database with version vectors writes them as revisions of trees. In other sessions of
/// a database with version vectors, the database itself is "me" in versions; in messages it has its ID. Messages can also contain IDs in trees,
/// because documents keep their trees until they are changed.
struct RevisionNaming: Equatable, Sendable {
    /// The ID of the database in versions; `nil` if the database has revision trees.
    let own: SourceID?

    /// The names in a database with revision trees.
    static let trees = RevisionNaming(own: nil)

    /// Whether the database has version vectors.
    var usesVersions: Bool { own != nil }

    /// The property `versioning` of `subChanges`.
    var versioning: String { usesVersions ? "version-vectors" : "rev-trees" }

    // MARK: Writing

    /// Returns the text of the ID of a revision.
    func text(_ id: RevisionID) -> String {
        if let own { return id.absolute(own).description }
        // The database has got version vectors since the session began. Peers do not accept this, and "me" is never sent.
        guard case .tree(let id) = id else { return "versions" }
        return id.description
    }

    /// Returns the text of a vector, or of the ID of the revision if there is none.
    func text(_ id: RevisionID, _ versions: VersionVector) -> String {
        guard let own, !versions.isEmpty else { return text(id) }
        return versions.absolute(own).description
    }

    /// Returns the property `history` of a revision with a version: its vector without the current version, then the IDs in trees, as far as the
    /// peer does not know them (Version vectors 4.3, 6.6).
    func history(of revision: OutgoingRevision, isKnown: (RevisionID) -> Bool) -> String {
        var result = ""
        var count = 0
        for ancestor in revision.history {
            if !result.isEmpty { result += result.utf8.last == UInt8(ascii: ";") ? " " : ", " }
            result += text(ancestor)
            count += 1
            if count == revision.mergedCount { result += ";" }
            if case .tree = ancestor, isKnown(ancestor) { break }
        }
        return result
    }

    // MARK: Reading

    /// Reads the ID of a revision; `nil` if it is not valid in this database. A version of "me" is not: it would be another database.
    func revision(_ text: String) -> RevisionID? {
        guard let own else { return RevisionID(tree: text) }
        guard let id = RevisionID(text) else { return nil }
        if case .version(let version) = id, version.source.isMe { return nil }
        return id.relative(to: own)
    }

    /// Reads a list that begins with the current revision of the peer, its whole vector or only its ID; `nil` if it is not valid.
    func current(_ text: String) -> RevisionID? {
        if let id = revision(text) { return id }
        guard usesVersions else { return nil }
        return (try? vector(text))?.current.map { .version($0) }
    }

    /// Reads a revision that a peer offers: its whole vector or only its ID (Version vectors 6.4); `nil` if it is not valid in this database.
    func offer(of documentID: String, _ text: String) -> OfferedRevision? {
        if let id = revision(text) { return OfferedRevision(documentID: documentID, revision: id) }
        guard usesVersions, let whole = try? vector(text) else { return nil }
        return OfferedRevision(documentID: documentID, vector: whole)
    }

    /// Reads a vector.
    ///
    /// - Throws: The errors of invalid vectors; `relative` if it contains "me".
    func vector(_ text: String) throws(VersionError) -> VersionVector {
        let vector = try VersionVector(text)
        return try own.map { (own) throws(VersionError) in try vector.relative(to: own) } ?? vector
    }

    /// Returns whether a text resembles the ID of a revision. The original refuses all of a message if one does not (Version vectors 6.4).
    func resembles(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "-")) || usesVersions && text.utf8.contains(UInt8(ascii: "@"))
    }
}
