/// Revisions in conflict that no remote is known to have, in records without a tree (Version vectors 5.2).
extension CollectionStore {
    /// The maximum number of such revisions of a document. Each needs a number of a remote, and the numbers of real remotes come after them.
    static let maximumLocalBranches = 1000

    /// Returns the revisions of a record, with those that were only in the tree as the revisions of remotes that do not exist.
    ///
    /// - Throws: `corruptDocument` if there are more of them than the maximum.
    func numberingBranches(of changed: KnownRevisions, _ documentID: String, in writer: Writer) throws -> KnownRevisions {
        guard !changed.branches.isEmpty else { return changed }
        guard changed.branches.count <= Self.maximumLocalBranches else {
            let reason = "it is in conflict with more than \(Self.maximumLocalBranches) revisions, of which some must be resolved first"
            throw StoreError.corruptDocument(documentID: documentID, reason: reason)
        }
        var known = changed
        var numbers: [RevisionTree.RemoteID] = []
        var count = known.branches.count
        // In a file whose list of remotes is not complete, the record may use some of the numbers.
        while numbers.count < known.branches.count {
            numbers = try file.branchRemotes(count, in: writer).filter { changed.remotes[$0] == nil }
            count += known.branches.count - numbers.count
        }
        for (number, revision) in zip(numbers, known.branches) { known.remotes[number] = revision }
        known.branches = []
        return known
    }
}
