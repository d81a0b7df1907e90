internal import CSQLiteSystem

/// Identifies the content of a file after a commit: the header of the log's index in shared memory
/// (https://www.sqlite.org/walformat.html#the_wal_index_header). Equal headers mean equal contents. Unequal ones may too, because the header
/// also changes when the log begins anew.
package struct CommittedState: Equatable, Sendable {
    private let header: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    init(_ state: csqlite_log_state) {
        header = state.header
    }

    /// Whether exactly one commit lies between the earlier state and this one.
    package func isNext(after earlier: CommittedState) -> Bool { commitCount == earlier.commitCount &+ 1 }

    /// The number that each commit increments, at offset 8 of the header.
    private var commitCount: UInt32 { withUnsafeBytes(of: header.1) { $0.load(as: UInt32.self) } }

    /// The number of pages of the file, or 0 if the log is empty. It is the upper half of the third word, as the bytes of the machine are.
    package var pageCount: UInt32 {
        withUnsafeBytes(of: header.2) { $0.load(fromByteOffset: 4, as: UInt32.self) }
    }

    package static func == (left: Self, right: Self) -> Bool { left.header == right.header }
}
