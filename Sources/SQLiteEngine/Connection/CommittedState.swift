internal import CSQLiteSystem

/// Identifies the content of a file after a commit: the header of the log's index in shared memory
/// (https://www.sqlite.org/walformat.html#the_wal_index_header). Equal headers mean equal contents. Unequal ones may too, because the header
/// also changes when the log begins anew.
package struct CommittedState: Equatable, Sendable {
    private let header: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64)

    init(_ state: csqlite_log_state) {
        header = state.header
    }

    /// Whether exactly one commit lies between the earlier state and this one. The header counts the commits in its third word.
    package func isNext(after earlier: CommittedState) -> Bool {
        UInt32(truncatingIfNeeded: header.1) == UInt32(truncatingIfNeeded: earlier.header.1) &+ 1
    }

    package static func == (left: Self, right: Self) -> Bool { left.header == right.header }
}
