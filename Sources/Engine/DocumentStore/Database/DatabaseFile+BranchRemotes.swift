import Base
import SQLiteEngine

/// The numbers of remotes that do not exist, at which records without a tree hold revisions in conflict that no remote is known to have (Version
/// vectors 5.2). Their names in the list of remotes are no addresses, so that no replicator gets these numbers.
extension DatabaseFile {
    private static let branchPrefix = "CouchbaseLiteSwift.branch."

    /// Returns the numbers of the first remotes of this kind. Numbers are assigned at the first call.
    ///
    /// - Throws: `corrupt` if all numbers are assigned.
    func branchRemotes(_ count: Int, in writer: Writer) throws -> [RevisionTree.RemoteID] {
        let names = (0..<count).map { "\(Self.branchPrefix)\($0 + 1)" }
        return try remoteIDs(for: names, in: writer).compactMap { RevisionTree.RemoteID(exactly: $0) }
    }

    /// Returns the assigned numbers of all remotes of this kind.
    func branchRemotes(on connection: Connection) throws -> Set<RevisionTree.RemoteID> {
        let numbers = try remotes(on: connection).filter { $0.key.string.utf8.starts(with: Self.branchPrefix.utf8) }.values
        return Set(numbers.compactMap { RevisionTree.RemoteID(exactly: $0) })
    }
}
