internal import CSQLiteSystem

/// One state of the file that all statements of a connection see, until the snapshot ends.
///
/// SQLite needs two system calls for each statement that reads alone, which take a third of the time of reading one row. A snapshot can be
/// kept while the connection is not used. When it is used again, it goes on with the snapshot if nobody has changed the file meanwhile; this
/// takes some nanoseconds, because every commit, of any process, changes the header of the log's index in shared memory.
///
/// A snapshot that is kept prevents the log from being emptied, like every reader does. So it must be ended soon, and is not kept at all if
/// the log is due for being copied.
struct ReadSnapshot {
    /// The statement that keeps SQLite's read transaction open, because it was not reset; `nil` before the first snapshot.
    var anchor: Statement?
    var isOpen = false
    /// The index of the log; `nil` if a snapshot cannot be kept.
    var index: UnsafeRawPointer?
    /// What the index contained before the snapshot began; `nil` if it was not read.
    var state: csqlite_log_state?
    var hasLookedForIndex = false
    /// The number of snapshots so far.
    var number: UInt64 = 0

    /// The number of frames from which SQLite copies the log into the database file with each commit. If readers held snapshots then, the
    /// log would grow without limit.
    static let longLog = 1000

    /// Whether the snapshot can be kept: a change of the file will be noticed, and the log can be emptied soon.
    var canBeKept: Bool {
        guard var state else { return false }
        let length = csqlite_log_length(&state)
        return length < Self.longLog || length == state.copied
    }

    /// Whether nobody has changed the file since the snapshot began.
    var isCurrent: Bool {
        guard let index, var state else { return false }
        return csqlite_has_log_state(index, &state) != 0
    }
}

extension Connection {
    /// Begins a snapshot. If the previous snapshot is still open and nobody has changed the file since, it goes on.
    ///
    /// - Throws: An error of SQLite if the file cannot be read.
    package func beginSnapshot() throws(SQLiteError) {
        if snapshot.isOpen {
            if snapshot.isCurrent, !handle.resetUnclearedInterruption() { return }
            endSnapshot()
        }
        // Before the snapshot begins: if someone commits in between, the snapshot is newer than its state, and is not kept.
        snapshot.state = snapshot.index.map { csqlite_read_log_state($0) }
        snapshot.isOpen = try anchor().step()
        snapshot.number &+= 1
        if !snapshot.hasLookedForIndex { try findLogIndex() }
    }

    /// Ends the snapshot, unless there is none.
    package func endSnapshot() {
        guard snapshot.isOpen else { return }
        snapshot.isOpen = false
        snapshot.anchor?.reset()
    }

    /// Whether a snapshot is open.
    package var hasSnapshot: Bool { snapshot.isOpen }

    /// Ends the snapshot if it cannot be kept, or if the next statements would be interrupted.
    func endSnapshotIfTransient() {
        if !snapshot.canBeKept || handle.resetUnclearedInterruption() { endSnapshot() }
    }

    /// The state of the file that the open snapshot shows; `nil` if there is no snapshot, if it is older than the file, or if a state cannot
    /// be identified.
    package var snapshotState: CommittedState? {
        guard snapshot.isOpen, snapshot.isCurrent, let state = snapshot.state else { return nil }
        return CommittedState(state)
    }

    /// The state of the file after the last commit of any process; `nil` if it cannot be identified, as in files without a write-ahead log.
    /// It is exact while this connection is in a writing transaction. The connection must have read from the file.
    package var committedState: CommittedState? {
        if !snapshot.hasLookedForIndex { try? findLogIndex() }
        return snapshot.index.map { CommittedState(csqlite_read_log_state($0)) }
    }

    /// A number that identifies the open snapshot; `nil` if none is open.
    package var snapshotNumber: UInt64? { snapshot.isOpen ? snapshot.number : nil }

    private func anchor() throws(SQLiteError) -> Statement {
        if let anchor = snapshot.anchor { return anchor }
        let anchor = try prepare("SELECT 1 FROM sqlite_master LIMIT 1", persistent: true)
        snapshot.anchor = anchor
        return anchor
    }

    private func findLogIndex() throws(SQLiteError) {
        snapshot.hasLookedForIndex = true
        guard let database, try scalarText("PRAGMA journal_mode") == "wal" else { return }
        snapshot.index = csqlite_log_index(database)
    }
}

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
