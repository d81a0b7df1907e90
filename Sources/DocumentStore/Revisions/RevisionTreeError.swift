/// What was wrong with a stored revision tree (Storage format 3.4).
package struct RevisionTreeError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: String, Sendable {
        case empty = "there are no revisions"
        case truncated = "a revision reaches past the end"
        case badRevisionID = "a revision ID is invalid"
        case badParent = "a parent index is out of range or forms a cycle"
        case badRemote = "a remote's revision index is out of range"
        case badSequence = "a sequence number is invalid"
        case trailingBytes = "bytes are left behind the end"
        case tooMany = "there are more revisions than can be numbered"
        case missingEnd = "there is no end marker"
    }

    package let reason: Reason
    /// Byte offset in the tree where it was noticed.
    package let offset: Int

    package var description: String { "revision tree: \(reason.rawValue), at byte \(offset)" }
}
