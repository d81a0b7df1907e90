package import DocumentStore
import Synchronization

/// The state of a wrapper of the ID of a document: the ID, and the revision that was last read or saved.
///
/// A value: setting the ID of a copy does not change the original. Thread-safe.
package struct DocumentIdentity: Sendable {
    private struct State {
        var id: String?
        var revision: RevisionID?
    }

    /// The state that copies share until one of them is changed. The library updates it in place, but only for an object of a class, or
    /// before a structure is passed to the app.
    private final class Box: Sendable {
        struct Content {
            var state: TransactionalValue<State>
            /// Whether the app has set the ID of a copy, which has another box since then.
            var wasReplaced = false
        }
        let content: Mutex<Content>

        init(_ state: TransactionalValue<State>) { content = Mutex(Content(state: state)) }
    }

    private var box: Box

    private var state: State { box.content.withLock { $0.state.value } }

    /// Creates the state for the ID of a document; `nil` if an ID is to be generated.
    ///
    /// - Parameter revision: The revision that was read; `nil` if the document was not read or saved.
    package init(_ id: String?, revision: RevisionID? = nil) { self.init(TransactionalValue(State(id: id, revision: revision))) }

    private init(_ state: TransactionalValue<State>) { box = Box(state) }

    /// The revision that was last read or saved; `nil` if the document was never saved.
    package var revision: RevisionID? { state.revision }

    /// The ID; `nil` if an ID is to be generated when the model is saved.
    package var id: String? {
        get { state.id }
        set {
            if !isKnownUniquelyReferenced(&box) {
                box.content.withLock { $0.wasReplaced = true }
                self = separated()
            }
            box.content.withLock { $0.state.value.id = newValue }
        }
    }

    /// Whether the ID of a copy was set, which does not share the state since then.
    package var wasReplaced: Bool { box.content.withLock { $0.wasReplaced } }

    /// Returns the same state, which is shared with no copy. If a batch is rolled back, both return to the same state.
    package func separated() -> DocumentIdentity { DocumentIdentity(box.content.withLock { $0.state }) }

    /// Returns whether an update of one of two copies also updates the other.
    package func sharesState(with other: DocumentIdentity) -> Bool { box === other.box }

    /// Sets the ID and revision after the model was read or saved, or its document was deleted, for all copies that share the state.
    ///
    /// - Parameter transactionOutcome: The outcome of the batch in which this happened. If the batch is rolled back, the previous ID
    ///   and revision are restored.
    package func stands(for id: String, _ revision: RevisionID, transactionOutcome: TransactionOutcome? = nil) {
        set(State(id: id, revision: revision), transactionOutcome)
    }

    /// Removes the revision after the document was purged. The ID remains.
    ///
    /// - Parameter transactionOutcome: As for ``stands(for:_:transactionOutcome:)``.
    package func didPurge(transactionOutcome: TransactionOutcome?) { set(State(id: id), transactionOutcome) }

    private func set(_ state: State, _ transactionOutcome: TransactionOutcome?) {
        box.content.withLock { $0.state.set(state, transactionOutcome: transactionOutcome) }
    }

    // MARK: Saving

    /// Returns the revision on which a change of the document is based.
    ///
    /// - Parameter failsOnConflict: Whether the document is not changed if it has another revision now.
    package func base(failsOnConflict: Bool) -> DocumentSave.Base {
        guard failsOnConflict else { return revision.map { .latestKnowing($0) } ?? .latest }
        return revision.map { .revision($0) } ?? .none
    }

    /// The ID of a document that should exist.
    ///
    /// - Throws: ``StoreError/notFound(what:)`` if there is no ID.
    package var existing: String {
        get throws(StoreError) {
            if let id { return id }
            throw .notFound(what: "the document of an object without an ID")
        }
    }
}
