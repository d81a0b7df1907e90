import Base
package import DocumentStore
package import Fleece

/// The counters of a model that is saved, and of the document over which it is saved: a save adds what the model has changed.
package struct CounterOverlay {
    private enum Content {
        case state(CounterState)
        /// The number and the property beside it of the stored document, unchanged.
        case stored(number: Value, tallies: Value?)
    }

    private let storedKeys: SharedKeys
    private let contents: [(key: String, content: Content)]
    private let keys: Set<ExactString>

    /// Adds the changes of the counters of a model to those of a document.
    ///
    /// - Parameters:
    ///   - stored: The properties of the document, which must exist as long as this value; `nil` if there is no document.
    ///   - revision: The revision of the document; `nil` if there is no document.
    ///   - device: The name of this database in the tallies.
    /// - Throws: `EncodingError` if a number exceeds 64 bits.
    package init(
        _ counters: EncodedCounters,
        on device: String,
        over stored: DictionaryValue?,
        _ storedKeys: SharedKeys,
        _ revision: RevisionID?
    ) throws {
        self.storedKeys = storedKeys
        contents = try counters.all.map { key, count, value in
            guard let stored, let revision, let state = CounterState(key, in: stored, storedKeys),
                let number = stored.value(for: key, sharedKeys: storedKeys)
            else { return (key, .state(CounterState(value))) }
            let change = count.change(of: state.sum)
            let tallies = stored.value(for: CounterState.talliesKey(of: key), sharedKeys: storedKeys)
            if change == 0 { return (key, .stored(number: number, tallies: tallies)) }
            guard let changed = state.changed(by: change, on: device, revision) else {
                throw EncodingError.refusal(value, at: [CounterKey(stringValue: key)], "the counter or its changes exceed 64 bits")
            }
            return (key, .state(changed))
        }
        keys = Set(exactly: contents.flatMap { [$0.key, CounterState.talliesKey(of: $0.key)] })
    }

    /// Returns whether ``write(into:)`` writes the entry for a key.
    func has(_ key: String) -> Bool { keys.contains(key) }

    /// Writes the entries of all counters.
    func write(into encoder: inout Encoder) {
        for (key, content) in contents {
            switch content {
            case .state(let state): state.write(key, into: &encoder)
            case .stored(let number, let tallies):
                encoder.writeKey(key)
                encoder.write(number, keys: .other(storedKeys))
                if let tallies {
                    encoder.writeKey(CounterState.talliesKey(of: key))
                    encoder.write(tallies, keys: .other(storedKeys))
                }
            }
        }
    }
}

/// The key of a counter in a coding path.
private struct CounterKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { return nil }
}
