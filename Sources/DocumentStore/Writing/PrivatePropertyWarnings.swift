import ExactStrings
import Fleece
import LogCore

/// Looks for top-level properties that replication loses: those whose names begin with an underscore belong to the protocol. They are stored
/// and pushed, but whoever pulls the document drops them (Replication 4.6). `_attachments` has a meaning, and those of
/// ``ReservedKeyCheck`` are refused.
///
/// Of each name there is one warning for an open file, after the commit.
struct PrivatePropertyWarnings {
    /// Nobody reads more.
    private static let maximumCount = 100

    /// A property that was found, and the first document that has it.
    private struct Finding {
        let name: String
        let documentID: String
        let collection: CollectionID
    }

    private var keyCount = 0
    /// The shared keys that nobody has been warned of.
    private var candidates: [String] = []
    private var known: Set<ExactString> = []
    /// What the transaction has found.
    private var findings: [Finding] = []

    /// Keeps what is found in `body`.
    ///
    /// Costs next to nothing while there is no such shared key, and all keys of the top level are shared.
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

    /// The transaction was taken back, or the keys may be others: what it has found is not stored.
    mutating func forgetTransaction() {
        for finding in findings { known.remove(ExactString(finding.name)) }
        findings.removeAll()
        keyCount = 0
        candidates.removeAll()
    }

    /// The shared keys may have been numbered anew.
    mutating func forgetKeys() {
        keyCount = 0
        candidates.removeAll()
    }

    /// The warnings about what has been committed, to be logged outside of the lock.
    mutating func take() -> [String] {
        guard !findings.isEmpty else { return [] }
        defer { findings.removeAll() }
        return findings.map { finding in
            "document \"\(finding.documentID)\" of \(finding.collection.fullName) has the top-level property \"\(finding.name)\", which "
                + "replication loses: names that begin with an underscore belong to the protocol, so it is pushed, but dropped by the "
                + "clients that pull it"
        }
    }
}

extension DictionaryValue {
    /// The keys that begin with an underscore and are stored as strings. Strings come after the numbers of shared keys.
    fileprivate var unsharedPrivateKeys: [String] {
        var names: [String] = []
        for index in (0..<pairCount).reversed() {
            guard let bytes = slot(index * 2).value?.stringBytes else { break }
            if bytes.first == UInt8(ascii: "_") { names.append(String(decoding: bytes, as: UTF8.self)) }
        }
        return names
    }
}
