import Base
package import DocumentStore
package import Fleece

/// Merges the two versions of a document in conflict into one, which does not depend on which of them is the local one.
package struct ConflictMerge {
    /// What is merged. The other properties are those of the newer version.
    package enum Extent {
        /// All properties, one by one, and those of nested dictionaries; see ``writeEntries(_:_:_:except:depth:to:)``. Counters by their tallies.
        case properties
        /// The counters.
        case counters
    }

    private typealias Side = (properties: DictionaryValue, revision: RevisionID)

    private let newer: Side
    private let older: Side
    private let base: Side?
    private let keys: SharedKeys
    private var budget: ValueBudget

    /// Returns the merged properties, whose keys are texts; `nil` if there are no counters and only these are merged, or if a version is
    /// deleted or damaged.
    ///
    /// - Parameter prefersLocal: Whether the local version is the newer one.
    /// - Throws: `FleeceError` if a version is damaged.
    package static func merge(_ conflict: StoredConflict, _ extent: Extent, prefersLocal: Bool) throws(FleeceError) -> FleeceData? {
        defer { withExtendedLifetime(conflict) {} }
        guard !conflict.local.isDeleted, !conflict.remote.isDeleted, let local = side(conflict.local), let remote = side(conflict.remote)
        else { return nil }
        let (newer, older) = prefersLocal ? (local, remote) : (remote, local)
        var merge = ConflictMerge(
            newer: newer,
            older: older,
            base: conflict.base.flatMap { $0.isDeleted ? nil : side($0) },
            keys: conflict.sharedKeys,
            budget: ValueBudget(forBytes: conflict.local.body.bytes.count + conflict.remote.body.bytes.count, times: 2)
        )
        let counters = merge.counters
        if case .counters = extent, counters.all.isEmpty { return nil }
        var encoder = Encoder()
        encoder.beginDictionary()
        // The newer version is merged with itself if only counters are merged.
        let other = if case .properties = extent { older.properties } else { newer.properties }
        merge.writeEntries(newer.properties, other, merge.base?.properties, except: counters.keys, to: &encoder)
        merge.write(counters.all, to: &encoder)
        encoder.endDictionary()
        return try encoder.finishedData()
    }

    private static func side(_ revision: ConflictRevision) -> Side? { revision.body.root?.dictionary.map { ($0, revision.id) } }

    // MARK: Properties

    /// Writes the entries of a merged dictionary.
    ///
    /// An entry that only one version has changed, added or removed since the base is as this version has it. Without a base, no entry was
    /// removed. If both have changed it, two dictionaries are merged, except blobs; otherwise the newer version decides, also about a removal.
    private mutating func writeEntries(
        _ newer: DictionaryValue,
        _ older: DictionaryValue,
        _ base: DictionaryValue?,
        except counters: Set<ExactString> = [],
        depth: Int = 0,
        to encoder: inout Encoder
    ) {
        for (key, mine) in newer.pairs {
            // Dictionaries that occur in many places of damaged data are not merged in all of them: copying fails then.
            guard budget.consume() else { return copy(key, mine, to: &encoder) }
            guard let text = key.text(keys), !counters.contains(text) else { continue }
            let former = base?.value(for: text, sharedKeys: keys)
            guard let theirs = older.value(for: text, sharedKeys: keys) else {
                if let former, areEqual(mine, former) { continue }
                copy(key, mine, to: &encoder)
                continue
            }
            if depth < Limits.maximumDepth, let mine = plain(mine), let theirs = plain(theirs) {
                // Without comparing them first, which would read what is nested deeply once for each level.
                encoder.copyKey(key, from: .other(keys))
                encoder.beginDictionary()
                writeEntries(mine, theirs, former.flatMap(plain), depth: depth + 1, to: &encoder)
                encoder.endDictionary()
            } else {
                let isUnchanged = former.map { areEqual(mine, $0) } ?? false
                copy(key, isUnchanged ? theirs : mine, to: &encoder)
            }
        }
        for (key, theirs) in older.pairs {
            guard budget.consume() else { return copy(key, theirs, to: &encoder) }
            guard let text = key.text(keys), !counters.contains(text), newer.value(for: text, sharedKeys: keys) == nil,
                base?.value(for: text, sharedKeys: keys) == nil
            else { continue }
            copy(key, theirs, to: &encoder)
        }
    }

    private mutating func copy(_ key: DictionaryKey, _ value: Value, to encoder: inout Encoder) {
        encoder.copyKey(key, from: .other(keys))
        encoder.write(value, keys: .other(keys), budget: &budget)
    }

    private func areEqual(_ left: Value, _ right: Value) -> Bool { ValueComparison.areEqual(left, keys, right, keys) }

    /// Returns the dictionary, if the value is one and not a blob.
    private func plain(_ value: Value) -> DictionaryValue? {
        value.dictionary.flatMap {
            BlobDictionary.isBlob($0, sharedKeys: keys) || BlobDictionary.isAttachment($0, sharedKeys: keys) ? nil : $0
        }
    }

    // MARK: Counters

    private struct Counters {
        /// The counters that both versions have, each merged; `nil` for one that cannot be merged, so that the newer version decides.
        var all: [(key: String, state: CounterState?)] = []
        /// The keys of the counters and of their tallies.
        var keys: Set<ExactString> = []
    }

    private var counters: Counters {
        var counters = Counters()
        for side in [newer, older, base].compactMap({ $0 }) {
            side.properties.forEach { key, value in
                guard let text = key.text(keys), let counter = CounterState.key(ofTallies: text, value, keys),
                    !counters.keys.contains(text), !counters.keys.contains(counter),
                    let new = version(of: counter, in: newer), let old = version(of: counter, in: older)
                else { return }
                counters.all.append((counter, CounterState.merged(new, old, base: base.flatMap { version(of: counter, in: $0) })))
                counters.keys.formUnion([ExactString(text), ExactString(counter)])
            }
        }
        return counters
    }

    private func version(of counter: String, in side: Side) -> CounterState.Version? {
        CounterState(counter, in: side.properties, keys).map { ($0, side.revision) }
    }

    private mutating func write(_ counters: [(key: String, state: CounterState?)], to encoder: inout Encoder) {
        for (key, state) in counters {
            if let state {
                state.write(key, into: &encoder)
                continue
            }
            for key in [key, CounterState.talliesKey(of: key)] {
                guard let value = newer.properties.value(for: key, sharedKeys: keys) else { continue }
                encoder.writeKey(key)
                encoder.write(value, keys: .other(keys), budget: &budget)
            }
        }
    }
}
