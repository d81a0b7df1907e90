import DatabaseRuntime
import DocumentStore
import Foundation
import QueryEngine

extension QueryIndex {
    /// Finds documents that need a vector, for a lazy vector index: those that were never given one, have changed since, or were skipped.
    ///
    /// - Parameter limit: The maximum number of documents; 0 is a programming error and ends the process.
    /// - Returns: The documents' values, in the order of their last changes; `nil` if no document needs a vector.
    /// - Throws: ``CBLError/unsupported`` if this is not a lazy vector index; ``CBLError/missingIndex`` if the index was deleted;
    ///   ``CBLError/notOpen`` if the collection was deleted or its database is closed.
    public func beginUpdate(limit: UInt64) throws -> IndexUpdater? {
        guard limit > 0 else { _CBLMisuse.invalidArgument("The limit of an update of an index must not be 0.") }
        return try begin(limit: Int(clamping: limit), after: 0)
    }

    /// Finds documents like ``beginUpdate(limit:)``, but only those that were changed after a sequence.
    private func begin(limit: Int, after sequence: Int64) throws -> IndexUpdater? {
        try collection.withOpenFile { file in
            guard try file.stillContains(collection.store) else { throw collection.store.notOpen }
            let update = try VectorUpdate.begin(name, on: collection.store, limit: limit, after: sequence)
            return update.map { IndexUpdater($0, of: collection) }
        }
    }

    /// Whether a vector index is trained: queries search only a part of its vectors then. Reads from disk.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if this is not a vector index of this library; ``CBLError/notOpen`` if the collection was deleted
    ///   or its database is closed.
    public var isTrained: Bool { get throws { try vectorState().isTrained } }

    /// The number of vectors in a vector index. Reads from disk.
    ///
    /// - Throws: As ``isTrained``.
    /// - Complexity: O(*n*), where *n* is the number.
    public var vectorCount: Int { get throws { try vectorState().vectorCount } }

    private func vectorState() throws -> IndexRegistry.VectorState {
        try collection.withOpenFile { file in
            guard try file.stillContains(collection.store) else { throw collection.store.notOpen }
            guard let state = try IndexRegistry(file).vectorState(of: name, on: collection.store) else {
                throw LibraryError(CBLError.invalidParameter, "\"\(name)\" is not a vector index")
            }
            return state
        }
    }

    /// Computes the vectors of all documents that need one, for a lazy vector index.
    ///
    /// Other tasks may change documents meanwhile. What was computed remains if the function throws.
    ///
    /// - Parameters:
    ///   - batch: How many documents are read, and written, at once. The default is 64.
    ///   - limit: The maximum number of documents; `nil`, the default, for all.
    ///   - vector: Returns the vector for a value, which is of the types that ``ArrayObject/value(at:)`` returns; `nil` if it has none. A
    ///     document for which it throws ``VectorSkipped`` is left for a later update.
    /// - Returns: The number of vectors that were set.
    /// - Throws: The errors of ``beginUpdate(limit:)``, ``IndexUpdater/setVector(_:at:)`` and ``IndexUpdater/finish()``; those of `vector`;
    ///   `CancellationError` if the task is cancelled; ``CBLError/invalidParameter`` if `batch` or `limit` is less than 1.
    @discardableResult
    public nonisolated(nonsending) func update(
        batch: Int = 64,
        limit: Int? = nil,
        _ vector: (Any) async throws -> [Float]?
    ) async throws -> Int {
        try await updateInBatches(of: batch, limit: limit) { updater in
            for index in 0..<updater.count {
                try Task.checkCancellation()
                do {
                    try updater.setVector(try await vector(updater.value(at: index) ?? NSNull()), at: index)
                } catch is VectorSkipped {
                    updater.skipVector(at: index)
                }
            }
        }
    }

    /// Calls `fill` with the documents that need a vector, in batches, and writes what it has set; returns the number of vectors.
    nonisolated(nonsending) func updateInBatches(
        of batch: Int,
        limit: Int?,
        _ fill: (IndexUpdater) async throws -> Void
    ) async throws -> Int {
        guard batch > 0, limit ?? 1 > 0 else {
            throw LibraryError.thrown(
                LibraryError(CBLError.invalidParameter, "the batch and the limit of an update must be greater than 0")
            )
        }
        var (offered, stored, sequence) = (0, 0, Int64(0))
        while offered < limit ?? .max {
            let wanted = min(batch, (limit ?? .max) - offered)
            let found = try await collection.async.read { [sequence] _ in try self.begin(limit: wanted, after: sequence) }
            guard let updater = found else { break }
            try await fill(updater)
            offered += updater.count
            sequence = updater.lastSequence
            stored += try await collection.async.write { _ in try updater.finishCounting() }
        }
        return stored
    }
}

/// Thrown by the function that computes vectors in ``QueryIndex/update(batch:limit:_:)``, to leave a document for a later update.
public struct VectorSkipped: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}
