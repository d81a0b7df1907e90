import Base
import Synchronization

/// Counts and limits the open streams of pages. Thread-safe.
final class PageStreams: Sendable {
    /// A browser has one stream for each open page.
    private static let (maximum, maximumOfSession) = (32, 16)

    /// The number of streams by session, without those that have none.
    private let counts = Mutex<[ExactString: Int]>([:])

    /// The number of open streams.
    var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Counts a stream of a session until the result is released. Returns `nil` if there are too many.
    func open(for session: String) -> ChangeObservation? {
        let session = ExactString(session)
        let isPossible = counts.withLock { counts in
            let (all, own) = (counts.values.reduce(0, +), counts[session] ?? 0)
            guard all < Self.maximum, own < Self.maximumOfSession else { return false }
            counts[session] = own + 1
            return true
        }
        guard isPossible else { return nil }
        return ChangeObservation { [counts = self] in counts.close(session) }
    }

    private func close(_ session: ExactString) {
        counts.withLock { counts in
            let rest = (counts[session] ?? 0) - 1
            counts[session] = rest > 0 ? rest : nil
        }
    }
}
