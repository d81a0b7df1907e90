import Base
import Fleece

/// Finds top-level properties that replication drops: names that begin with an underscore are reserved for the protocol. Such properties
/// are stored and pushed, but clients that pull the document drop them (Replication 4.6). `_attachments` has a meaning, and the properties
/// of ``ReservedKeyCheck`` are rejected.
///
/// Each name is reported once per open file, after the commit.
struct PrivatePropertyWarnings {
    /// The maximum number of names, so that the log is not flooded.
    private static let maximumCount = 100

    /// A property, and the first document that contains it.
    private struct Finding {
        let name: String
        let documentID: String
        let collection: CollectionID
    }

    private var keyCount = 0
    /// The shared keys with such a name that have not been reported.
    private var candidates: [String] = []
    private var known: Set<ExactString> = []
    /// The properties found by the current transaction.
    private var findings: [Finding] = []

    /// Records the properties found in `body`.
    ///
    /// Very cheap if no shared key has such a name, and all top-level keys of the body are shared.
    mutating func look(in body: UnsafeRawBufferPointer, documentID: String, of collection: CollectionID, keys: MutableSharedKeys) {
        guard known.count < Self.maximumCount else { return }
        if keys.count != keyCount { learn(keys.snapshot.keys) }
        guard let dictionary = Value(root: body)?.dictionary else { return }
        for name in candidates where dictionary.value(for: name, sharedKeys: keys.snapshot) != nil {
            note(name, documentID, collection)
        }
        for name in dictionary.unsharedPrivateKeys where Self.isPrivate(name) && !known.contains(name) {
            note(name, documentID, collection)
        }
    }

    private mutating func learn(_ keys: [String]) {
        let added = keys.count > keyCount ? keys[keyCount...] : keys[...]
        keyCount = keys.count
        for name in added where Self.isPrivate(name) && !known.contains(name) && !candidates.containsExactly(name) {
            candidates.append(name)
        }
    }

    private static func isPrivate(_ name: String) -> Bool {
        name.utf8.first == UInt8(ascii: "_") && !name.isExactly("_attachments")
    }

    private mutating func note(_ name: String, _ documentID: String, _ collection: CollectionID) {
        known.insert(ExactString(name))
        candidates.removeAll { $0.isExactly(name) }
        findings.append(Finding(name: name, documentID: documentID, collection: collection))
    }

    /// Discards the findings of the transaction, which was rolled back, and the known keys, which may have changed.
    mutating func discardTransaction() {
        for finding in findings { known.remove(ExactString(finding.name)) }
        findings.removeAll()
        keyCount = 0
        candidates.removeAll()
    }

    /// Discards the known keys, because the shared keys may have been renumbered.
    mutating func discardKeys() {
        keyCount = 0
        candidates.removeAll()
    }

    /// Returns and removes the warnings about committed documents, to be logged without holding the lock.
    mutating func drain() -> [String] {
        guard !findings.isEmpty else { return [] }
        defer { findings.removeAll() }
        return findings.map { finding in
            "document \"\(finding.documentID)\" of \(finding.collection.fullName) has the top-level property \"\(finding.name)\", which "
                + "replication does not preserve: names that begin with an underscore are reserved for the protocol, so the property is "
                + "pushed, but dropped by the clients that pull it"
        }
    }
}

extension DictionaryValue {
    /// The keys that begin with an underscore and are stored as strings. String keys are ordered after the numbers of shared keys.
    fileprivate var unsharedPrivateKeys: [String] {
        var names: [String] = []
        for index in (0..<pairCount).reversed() {
            guard let bytes = slot(index * 2).value?.stringBytes else { break }
            if bytes.first == UInt8(ascii: "_") { names.append(String(decoding: bytes, as: UTF8.self)) }
        }
        return names
    }
}
