import CouchbaseLiteSwift
import Dispatch
import DocumentStore
import Synchronization

/// A changed document, with its current revision.
struct ChangedDocument {
    private let change: LocalChange

    init(change: LocalChange) { self.change = change }

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

    /// Ends ``forEach(_:)``. Can be called on any thread.
    var stopper: @Sendable () -> Void {
        { [stop, signal] in
            stop.isRequested.store(true, ordering: .sequentiallyConsistent)
            signal.signal()
        }
    }

    /// Calls `body` with each change, until it returns `false` or ``stopper`` is called; blocks while there are none.
    func forEach(_ body: (ChangedDocument) throws -> Bool) throws {
        var isEnded = false
        while !isEnded, !stop.isRequested.load(ordering: .sequentiallyConsistent) {
            // Before reading, so that no change after it is missed.
            file.watch.wait(registration)
            let before = sequence
            try collection.store.forEachChange(after: sequence) { change in
                sequence = change.sequence
                isEnded = try !body(ChangedDocument(change: change)) || stop.isRequested.load(ordering: .sequentiallyConsistent)
                return !isEnded
            }
            if sequence == before, !isEnded { signal.wait() }
        }
    }
}

extension DocumentCollection {
    /// Calls `body` with the changes after a sequence, in their order, until it returns `false`.
    func forEachChange(after sequence: UInt64, _ body: (ChangedDocument) throws -> Bool) throws {
        try store.forEachChange(after: sequence) { try body(ChangedDocument(change: $0)) }
    }
}
