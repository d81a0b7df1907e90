import DatabaseRuntime
import Fleece
import Foundation
import QueryEngine
import Synchronization

/// The values of some documents of a lazy vector index, for which the app computes vectors; returned by ``QueryIndex/beginUpdate(limit:)``.
///
/// It is an array of the values. For each of them, call ``setVector(_:at:)`` or ``skipVector(at:)``, and then ``finish()``. An updater that is
/// released before leaves no trace. Thread-safe.
///
/// An index out of range, and every use after ``finish()`` has succeeded, is a programming error, which ends the process.
public final class IndexUpdater: ArrayProtocol, Sequence, Sendable {
    private let collection: Collection
    private let update: VectorUpdate
    private let contents: ArrayObject

    private struct State {
        var results: [VectorUpdate.Result?]
        var isFinished = false
    }
    private let state: Mutex<State>

    init(_ update: VectorUpdate, of collection: Collection) {
        (self.update, self.collection) = (update, collection)
        state = Mutex(State(results: Array(repeating: nil, count: update.count)))
        let source = FleeceSource(data: update.values, sharedKeys: .empty, database: collection.database)
        contents = update.values.root.map { ArrayObject(source: source, value: $0, isMutable: false) } ?? ArrayObject(ArrayContents([]))
    }

    /// The sequence of the last document.
    var lastSequence: Int64 { update.lastSequence }

    /// The values, unless the updater has finished.
    private var values: ArrayObject {
        if state.withLock({ $0.isFinished }) { _CBLMisuse.inconsistency("The index updater has already finished.") }
        return contents
    }

    // MARK: Values, which `ArrayProtocol` documents

    public var count: Int { values.count }
    public func value(at index: Int) -> Any? { values.value(at: index) }
    public func string(at index: Int) -> String? { values.string(at: index) }
    public func number(at index: Int) -> NSNumber? { values.number(at: index) }
    public func int(at index: Int) -> Int { values.int(at: index) }
    public func int64(at index: Int) -> Int64 { values.int64(at: index) }
    public func float(at index: Int) -> Float { values.float(at: index) }
    public func double(at index: Int) -> Double { values.double(at: index) }
    public func boolean(at index: Int) -> Bool { values.boolean(at: index) }
    public func date(at index: Int) -> Date? { values.date(at: index) }
    public func blob(at index: Int) -> Blob? { values.blob(at: index) }
    public func array(at index: Int) -> ArrayObject? { values.array(at: index) }
    public func dictionary(at index: Int) -> DictionaryObject? { values.dictionary(at: index) }
    public func toArray() -> [Any] { values.toArray() }
    public func toJSON() -> String { values.toJSON() }
    public subscript(index: Int) -> Fragment { values[index] }

    /// Returns an iterator over the values, in the form that ``value(at:)`` returns.
    public func makeIterator() -> AnyIterator<Any> { values.makeIterator() }

    // MARK: Vectors

    /// Sets the vector of a document; `nil` if it has none, so that it is not offered again until it changes. The last call for an index counts.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the number of components is not that of the index, or a component is not finite.
    public func setVector(_ value: [Float]?, at index: Int) throws {
        values.checkIndex(index, below: update.count)
        try throwingPublicErrors {
            if let value {
                guard value.count == update.dimensions else {
                    throw LibraryError(
                        CBLError.invalidParameter,
                        "the vector has \(value.count) dimensions, but the index has \(update.dimensions)"
                    )
                }
                guard value.allSatisfy(\.isFinite) else {
                    throw LibraryError(CBLError.invalidParameter, "the vector contains a component that is not a finite number")
                }
            }
            // −0 counts as 0.
            state.withLock { $0.results[index] = .vector(value.map { $0.map { $0 == 0 ? 0 : $0 } }) }
        }
    }

    /// Leaves a document for a later ``QueryIndex/beginUpdate(limit:)``.
    public func skipVector(at index: Int) {
        values.checkIndex(index, below: update.count)
        state.withLock { $0.results[index] = .skipped }
    }

    /// Writes all vectors to the index, in one transaction. Documents that were changed or deleted since the beginning are left out: those that
    /// exist are offered again. The updater cannot be used any more then.
    ///
    /// - Throws: ``CBLError/unsupported`` if a document was neither set nor skipped; ``CBLError/missingIndex`` if the index was deleted or
    ///   replaced; ``CBLError/notOpen``, ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``Collection/save(document:)``. Nothing is written
    ///   then, and the updater can still be used.
    public func finish() throws { _ = try finishCounting() }

    /// Finishes, and returns the number of stored vectors.
    func finishCounting() throws -> Int {
        _ = values
        let results = state.withLock { $0.results }
        let complete = results.compactMap(\.self)
        let stored = try collection.withOpenFile { _ in
            guard complete.count == results.count else {
                throw LibraryError(
                    CBLError.unsupported,
                    "\(results.count - complete.count) of the \(results.count) documents have neither a vector nor been skipped"
                )
            }
            return try update.finish(complete, on: collection.store)
        }
        state.withLock { $0.isFinished = true }
        return stored
    }
}
