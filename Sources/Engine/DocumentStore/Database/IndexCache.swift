import Base
import Synchronization

/// What has been read from the tables of indexes, for all connections of a file (Vector search EN-16). The objects are used as long as the
/// file has the same ones: each is stored with a number that identifies its content.
package final class IndexCache: Sendable {
    private struct Entry {
        let number: Int64
        let value: any AnyObject & Sendable
        let size: Int
        var lastUse: UInt64
    }

    private struct State {
        var entries: [ExactString: Entry] = [:]
        var uses: UInt64 = 0
    }

    /// The maximum size of all objects together, in bytes.
    package static let maximumSize = 64 << 20

    private let state = Mutex(State())

    package init() {}

    /// Returns the object of an index with that number; `nil` if it is not known.
    package func value(of index: String, number: Int64) -> (any AnyObject & Sendable)? {
        state.withLock { state in
            guard let entry = state.entries[ExactString(index)], entry.number == number else { return nil }
            state.uses += 1
            state.entries[ExactString(index)]?.lastUse = state.uses
            return entry.value
        }
    }

    /// Removes all objects.
    package func removeAll() { state.withLock { $0.entries.removeAll() } }

    /// Stores the object of an index. Those that were not used for the longest time are removed to make room.
    package func set(_ value: any AnyObject & Sendable, of index: String, number: Int64, size: Int) {
        guard size <= Self.maximumSize else { return }
        state.withLock { state in
            state.uses += 1
            state.entries[ExactString(index)] = Entry(number: number, value: value, size: size, lastUse: state.uses)
            while state.entries.values.reduce(0, { $0 + $1.size }) > Self.maximumSize,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                state.entries[oldest.key] = nil
            }
        }
    }
}
