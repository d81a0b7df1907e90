import Base
import Synchronization

/// What is known about index keys: for which indexes they were found to be exactly the values that queries compute (Storage format 5.10).
///
/// A finding stays valid while no key is written that differs. Functions report such keys of this process
/// (``ConnectionContext/hasDifferingKeys``), and sequences that this process has not assigned show that another one has written.
package final class IndexKeyHistory: Sendable {
    private struct Finding {
        let isExact: Bool
        let version: Int64
        let lastSequence: UInt64
        let reportCount: Int
    }

    private struct State {
        var findings: [ExactString: Finding] = [:]
        /// The sequences that this process has assigned without a gap, by store: those after the lower bound, up to the upper one.
        var own: [ExactString: ClosedRange<UInt64>] = [:]
        /// The number of commits with keys that differ.
        var reportCount = 0
    }

    /// The maximum number of findings. Each of them belongs to an index that a query has used.
    private static let capacity = 1_000

    private let state = Mutex(State())
    private let hasFindings = Atomic(false)

    init() {}

    /// Whether there are findings, so that commits must be recorded.
    var isNeeded: Bool { hasFindings.load(ordering: .relaxed) }

    /// Records a commit of this process. Must be called under the write lock.
    ///
    /// - Parameters:
    ///   - first: The last sequence of the store from which on all sequences were assigned by this process.
    ///   - last: The last sequence of the store.
    func committed(_ sequences: ClosedRange<UInt64>, in store: String) {
        let store = ExactString(store)
        state.withLock { state in
            guard let known = state.own[store], known.contains(sequences.lowerBound) else { return state.own[store] = sequences }
            state.own[store] = known.lowerBound...max(known.upperBound, sequences.upperBound)
        }
    }

    /// Records that a commit of this process contains keys that differ. Must be called before ``committed(_:in:)``.
    func committedDifferingKeys() { state.withLock { $0.reportCount += 1 } }

    /// The number of such commits so far. To be read before the keys of an index are examined.
    package var reportCount: Int { state.withLock { $0.reportCount } }

    /// Returns whether the keys of a subject are exact in a snapshot; `nil` if this must be found out.
    ///
    /// - Parameters:
    ///   - subject: What was examined.
    ///   - version: The version of the schema.
    ///   - lastSequence: The last sequence of the store in the snapshot.
    package func isExact(_ subject: String, in store: String, version: Int64, lastSequence: UInt64) -> Bool? {
        state.withLock { state in
            guard let finding = state.findings[ExactString(subject)], finding.version == version,
                finding.reportCount == state.reportCount
            else { return nil }
            if finding.lastSequence == lastSequence { return finding.isExact }
            guard finding.isExact, finding.lastSequence < lastSequence, let own = state.own[ExactString(store)],
                own.contains(finding.lastSequence), own.contains(lastSequence)
            else { return nil }
            return true
        }
    }

    /// Records what was found out in a snapshot of committed changes.
    ///
    /// - Parameter reportCount: ``reportCount`` before the keys were examined.
    package func record(_ isExact: Bool, _ subject: String, version: Int64, lastSequence: UInt64, reportCount: Int) {
        state.withLock { state in
            if state.findings.count >= Self.capacity { state.findings.removeAll() }
            state.findings[ExactString(subject)] = Finding(
                isExact: isExact,
                version: version,
                lastSequence: lastSequence,
                reportCount: reportCount
            )
        }
        hasFindings.store(true, ordering: .relaxed)
    }
}
