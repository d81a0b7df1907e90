/// The error in a stored revision tree (Storage format 3.4).
package struct RevisionTreeError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: String, Sendable {
        case empty = "there are no revisions"
        case truncated = "a revision reaches past the end"
        case badRevisionID = "a revision ID is invalid"
        case badParent = "a parent index is out of range or forms a cycle"
        case badRemote = "a remote's revision index is out of range"
        case badSequence = "a sequence number is invalid"
        case trailingBytes = "there are extra bytes after the end"
        case tooMany = "there are too many revisions"
        case missingEnd = "there is no end marker"
    }

    package let reason: Reason
    /// The position of the error, as a byte offset in the tree.
    package let offset: Int

    package var description: String { "revision tree: \(reason.rawValue), at byte \(offset)" }
}
