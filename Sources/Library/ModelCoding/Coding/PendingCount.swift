import Base
import DocumentStore
import Synchronization

/// The value of a counter in a model, and the value with which the model was read or saved: the difference is what a save adds.
///
/// A value: a change of a copy does not change the original. Thread-safe.
package struct PendingCount: Sendable {
    private struct State {
        var value: Int64
        /// The value when it was read or last saved; `nil` if it was neither.
        var saved: TransactionalValue<Int64?>
    }

    /// The state that copies share until one of them is changed, so that a change that was saved with one copy is not saved again with another.
    private final class Box: Sendable {
        let state: Mutex<State>

        init(_ state: State) { self.state = Mutex(state) }
    }

    private var box: Box

    /// Creates the value of a model that was not read, or the one that was read.
    package init(_ value: Int64, isSaved: Bool) { box = Box(State(value: value, saved: TransactionalValue(isSaved ? value : nil))) }

    /// The value.
    package var value: Int64 {
        get { box.state.withLock { $0.value } }
        set {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.state.withLock { $0 }) }
            box.state.withLock { $0.value = newValue }
        }
    }

    /// Returns what a save adds to a number: the change since the model was read or saved. A model that was neither sets the number.
    func change(of number: Int64) -> Int128 { box.state.withLock { Int128($0.value) - Int128($0.saved.value ?? number) } }

    /// Notes that the change was saved, for all copies that share it.
    ///
    /// - Parameter value: The value that was saved.
    /// - Parameter transactionOutcome: The outcome of the batch of the save. If the batch is rolled back, the change is pending again.
    func didSave(_ value: Int64, transactionOutcome: TransactionOutcome?) {
        box.state.withLock { $0.saved.set(value, transactionOutcome: transactionOutcome) }
    }
}

/// The counters of a model that was encoded.
package final class EncodedCounters {
    private(set) var all: [(key: String, count: PendingCount, value: Int64)] = []

    package init() {}

    /// Whether the model has none.
    var isEmpty: Bool { all.isEmpty }

    func add(_ count: PendingCount, _ value: Int64, for key: String) { all.append((key, count, value)) }

    /// Returns the counter that was encoded for a key.
    func count(for key: String) -> PendingCount? { all.first { $0.key.isExactly(key) }?.count }

    /// Notes that the changes were saved; see ``PendingCount/didSave(_:transactionOutcome:)``.
    func didSave(transactionOutcome: TransactionOutcome?) {
        for counter in all { counter.count.didSave(counter.value, transactionOutcome: transactionOutcome) }
    }
}

extension ModelEncoding {
    /// Writes a counter as the only value of an encoder that this module has passed to it. Returns `false` for any other encoder.
    ///
    /// - Throws: `EncodingError` if the counter is not a property of the model itself.
    package static func write(counter: PendingCount, to encoder: any Swift.Encoder) throws -> Bool {
        guard let encoder = encoder as? ValueEncoder else { return false }
        try encoder.writeSingle(counter: counter)
        return true
    }
}

extension ModelDecoding {
    /// Returns the counter for a number that was decoded at the current position of a decoder: the encoded one, if the model is decoded from
    /// what it has just encoded, and otherwise a new one. It counts as saved if the decoder is one of this module.
    package static func counter(_ number: Int64, from decoder: any Swift.Decoder) -> PendingCount {
        let decoder = decoder as? ValueDecoder
        return decoder?.encodedCounter ?? PendingCount(number, isSaved: decoder != nil)
    }
}
