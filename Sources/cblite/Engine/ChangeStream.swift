import CouchbaseLiteSwift
import Dispatch
import DocumentStore
import Synchronization

/// A changed document, with its current revision.
struct ChangedDocument {
    fileprivate let change: LocalChange

    var id: String { change.documentID }
    var revision: String { change.revision.description }
    var sequence: UInt64 { change.sequence }
    var isDeleted: Bool { change.isDeleted }
}

/// The changes of a collection by this and other processes, in the order of their sequences. The change listeners of the public API report
/// IDs without sequences.
///
/// Purges have no sequence, so they are not reported.
final class ChangeStream {
    private let collection: DocumentCollection
    private let file: DatabaseFile
    private let registration: CollectionWatch.Registration
    private let signal: DispatchSemaphore
    private let stop: Stop
    /// Changes with higher sequences are still to be read.
    private(set) var sequence: UInt64

    /// - Parameter sequence: Only changes with higher sequences are reported; `nil` for those after this call.
    init(_ collection: DocumentCollection, since sequence: UInt64?) throws {
        self.collection = collection
        file = try collection.database.openFile()
        let signal = DispatchSemaphore(value: 0)
        self.signal = signal
        stop = Stop()
        registration = try file.watch.register(for: [collection.store.tables.store], of: file) { signal.signal() }
        self.sequence = try sequence ?? collection.store.lastSequence()
    }

    deinit { file.watch.remove(registration) }

    private final class Stop: Sendable {
        let isRequested = Atomic(false)
    }

    /// Ends ``next()``. Can be called on any thread.
    var stopper: @Sendable () -> Void {
        { [stop, signal] in
            stop.isRequested.store(true, ordering: .sequentiallyConsistent)
            signal.signal()
        }
    }

    /// Returns the next changes, at most 500; blocks until there are some. Returns `nil` after a call of ``stopper``.
    func next() throws -> [ChangedDocument]? {
        while !stop.isRequested.load(ordering: .sequentiallyConsistent) {
            // Before reading, so that no change after it is missed.
            file.watch.wait(registration)
            let changes = try collection.store.changes(after: sequence, limit: 500, remote: nil)
            if let last = changes.last {
                sequence = last.sequence
                return changes.map { ChangedDocument(change: $0) }
            }
            signal.wait()
        }
        return nil
    }
}
