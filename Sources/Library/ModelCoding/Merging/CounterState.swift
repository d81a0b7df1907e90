import Base
package import DocumentStore
import Fleece

/// A counter of a document (API 20): a whole number that every program can read and write, and beside it a property with what devices have added
/// and subtracted.
struct CounterState: Equatable, Sendable {
    /// What one device has added and subtracted. Both numbers only grow, so that the greater ones are the later ones.
    struct Tally: Equatable, Sendable {
        var added: Int64 = 0
        var subtracted: Int64 = 0

        var total: Int128 { Int128(added) - Int128(subtracted) }

        /// The sum of all changes, whatever their sign.
        var size: Int128 { Int128(added) + Int128(subtracted) }

        /// Adds a change. Returns `false`, and changes nothing, if a number would exceed 64 bits.
        mutating func add(_ change: Int128) -> Bool {
            guard let more = Int64(exactly: change.magnitude) else { return false }
            let (sum, overflows) = (change < 0 ? subtracted : added).addingReportingOverflow(more)
            if overflows { return false }
            if change < 0 { subtracted = sum } else { added = sum }
            return true
        }

        func isBelow(_ other: Tally) -> Bool { added < other.added || subtracted < other.subtracted }

        func later(than other: Tally) -> Tally {
            Tally(added: max(added, other.added), subtracted: max(subtracted, other.subtracted))
        }
    }

    /// The maximum number of devices with a tally, and of revisions with one. The changes of others are a part of ``start``.
    static let maximumDevices = 64
    static let maximumRevisions = 16

    /// The number that the document has.
    var sum: Int64
    /// The number without the tallies.
    var start: Int64
    /// The tallies of devices, and those of revisions in which a program has written the number that knows no counters.
    var tallies: [ExactString: Tally] = [:]
    /// Whether the document has tallies, even if there are none yet.
    var isTallied: Bool

    /// Creates the counter of a new document.
    init(_ number: Int64) { (sum, start, isTallied) = (number, number, true) }

    /// Reads a counter of a document; `nil` if the property is not a whole number of 64 bits. Tallies that are damaged count as none.
    init?(_ key: String, in document: DictionaryValue, _ keys: SharedKeys) {
        guard let number = document.value(for: key, sharedKeys: keys)?.wholeNumber else { return nil }
        sum = number
        guard let entries = document.value(for: Self.talliesKey(of: key), sharedKeys: keys)?.dictionary, Self.areTallies(entries, keys),
            let start = entries.value(for: "start", sharedKeys: keys)?.wholeNumber,
            let tallies = entries.value(for: "by", sharedKeys: keys)?.array.flatMap({ Self.tallies($0) })
        else {
            (self.start, isTallied) = (number, false)
            return
        }
        (self.start, self.tallies, isTallied) = (start, tallies, true)
    }

    private static func tallies(_ entries: ArrayValue) -> [ExactString: Tally]? {
        var tallies: [ExactString: Tally] = [:]
        for index in 0..<entries.count {
            guard let entry = entries[index]?.array, entry.count == 3, let name = entry[0]?.string,
                let added = entry[1]?.wholeNumber, added >= 0, let subtracted = entry[2]?.wholeNumber, subtracted >= 0,
                tallies.updateValue(Tally(added: added, subtracted: subtracted), forKey: ExactString(name)) == nil
            else { return nil }
        }
        return tallies
    }

    // MARK: Names

    private static let suffix = "_counter"

    /// The key of the property with the tallies of a counter.
    static func talliesKey(of key: String) -> String { key + suffix }

    /// Returns the key of the counter whose tallies a property contains; `nil` if it contains none.
    static func key(ofTallies key: String, _ value: Value, _ keys: SharedKeys) -> String? {
        guard key.utf8.count > suffix.utf8.count, key.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8),
            let entries = value.dictionary, areTallies(entries, keys)
        else { return nil }
        return String(decoding: key.utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }

    private static func areTallies(_ entries: DictionaryValue, _ keys: SharedKeys) -> Bool {
        entries.value(for: BlobDictionary.typeKey, sharedKeys: keys)?.stringBytes?.elementsEqual("counter".utf8) == true
    }

    // MARK: Changing

    /// Gives the revision of the document a tally of what a program has changed that knows no counters: the difference between the number and
    /// that which the tallies say. Returns `false` if that exceeds 64 bits.
    mutating func credit(_ revision: RevisionID) -> Bool {
        let difference = Int128(sum) - Int128(start) - total
        if difference == 0 { return true }
        let name = revision.tree.map { $0.digest.prefix(6).hexadecimal } ?? String(revision.timestamp, radix: 16)
        let key = "\(revision.generation)-\(name)"
        return tallies[ExactString(key), default: Tally()].add(difference)
    }

    private var total: Int128 { tallies.values.reduce(0) { $0 + $1.total } }

    /// Returns the counter after a device has changed it; `nil` if a number exceeds 64 bits.
    ///
    /// - Parameter revision: The revision of the document that has this counter.
    func changed(by change: Int128, on device: String, _ revision: RevisionID) -> CounterState? {
        var result = self
        result.isTallied = true
        guard let sum = Int64(exactly: Int128(self.sum) + change), result.credit(revision),
            result.tallies[ExactString(device), default: Tally()].add(change), result.dropTallies(except: ExactString(device))
        else { return nil }
        result.sum = sum
        return result
    }

    /// Makes tallies beyond the maximum a part of ``start``: those of the earliest revisions, and of the devices with the fewest changes.
    /// Returns `false` if a number exceeds 64 bits.
    ///
    /// - Parameter kept: The device whose tally remains. Otherwise equal changes of two devices could give equal documents.
    private mutating func dropTallies(except kept: ExactString? = nil) -> Bool {
        func lowest(_ maximum: Int, _ ranks: [(Int128, ExactString)]) -> [ExactString] {
            ranks.sorted { $0 < $1 }.prefix(max(0, ranks.count - maximum)).map(\.1)
        }
        let revisions = tallies.filter { Self.isRevision($0.key) }
        let devices = tallies.filter { !Self.isRevision($0.key) && $0.key != kept }
        let dropped =
            lowest(Self.maximumRevisions, revisions.map { (Self.generation(of: $0.key), $0.key) })
            + lowest(Self.maximumDevices - (kept == nil ? 0 : 1), devices.map { ($0.value.size, $0.key) })
        var sum = Int128(start)
        for key in dropped { sum += tallies.removeValue(forKey: key)?.total ?? 0 }
        guard let exact = Int64(exactly: sum) else { return false }
        start = exact
        return true
    }

    private static func isRevision(_ key: ExactString) -> Bool { key.string.utf8.contains(UInt8(ascii: "-")) }

    private static func generation(of key: ExactString) -> Int128 {
        Int128(String(decoding: key.string.utf8.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)) ?? 0
    }
}

extension CounterState {
    /// A counter in one version of a document.
    typealias Version = (state: CounterState, revision: RevisionID)

    /// Returns the counter with the changes of both versions (API 20); `nil` if it cannot be merged, because a number exceeds 64 bits, or
    /// because a version without tallies has no base to be compared with.
    ///
    /// - Parameters:
    ///   - newer: The version from which the start is if there is no base.
    ///   - base: The counter in the common ancestor; `nil` if its contents are not stored, or have no such number.
    static func merged(_ newer: Version, _ older: Version, base: Version?) -> CounterState? {
        guard let new = credited(newer), let old = credited(older) else { return nil }
        var result = new
        var start: Int128
        if let base {
            guard let common = credited(base) else { return nil }
            start = Int128(new.start) + Int128(old.start) - Int128(common.start)
            for key in Set(new.tallies.keys).union(old.tallies.keys).union(common.tallies.keys) {
                switch (new.tallies[key], old.tallies[key], common.tallies[key]) {
                case (let mine?, let theirs?, let former) where former.map { mine.isBelow($0) || theirs.isBelow($0) } != true:
                    result.tallies[key] = mine.later(than: theirs)
                case (let tally?, nil, nil), (nil, let tally?, nil): result.tallies[key] = tally
                case (let mine, let theirs, let former):
                    // A version has made the tally a part of its start, and may have begun another one. So the numbers cannot be compared.
                    result.tallies[key] = nil
                    start += (mine?.total ?? 0) + (theirs?.total ?? 0) - (former?.total ?? 0)
                }
            }
        } else {
            guard new.isTallied, old.isTallied else { return nil }
            start = Int128(new.start)
            result.tallies.merge(old.tallies) { $0.later(than: $1) }
        }
        guard let exact = Int64(exactly: start) else { return nil }
        result.start = exact
        guard let sum = Int64(exactly: start + result.total), result.dropTallies() else { return nil }
        (result.sum, result.isTallied) = (sum, true)
        return result
    }

    private static func credited(_ version: Version) -> CounterState? {
        var state = version.state
        return state.credit(version.revision) ? state : nil
    }
}

extension CounterState {
    /// Writes the number and the tallies as two entries of a dictionary.
    func write(_ key: String, into encoder: inout Encoder) {
        encoder.writeKey(key)
        encoder.write(sum)
        guard isTallied else { return }
        encoder.writeKey(Self.talliesKey(of: key))
        encoder.beginDictionary()
        encoder.writeKey(BlobDictionary.typeKey)
        encoder.write("counter")
        encoder.writeKey("start")
        encoder.write(start)
        encoder.writeKey("by")
        // The names are no keys: two databases can have one number for different keys, so that the bytes and revision IDs would be equal.
        encoder.beginArray()
        for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
            encoder.beginArray()
            encoder.write(name.string)
            encoder.write(tally.added)
            encoder.write(tally.subtracted)
            encoder.endArray()
        }
        encoder.endArray()
        encoder.endDictionary()
    }
}

extension DatabaseFile {
    /// The name of this database in the tallies of counters: a part of a hash of its private ID, in hexadecimal. Reads from disk.
    package func counterDevice() throws -> String {
        let id = try ensuredPrivateUUID() + Array("counter".utf8)
        return id.withUnsafeBytes { BlobDigest(of: $0).bytes.prefix(8).hexadecimal }
    }
}

extension Value {
    /// The number, if it is a whole one of 64 bits; `nil` for other values.
    fileprivate var wholeNumber: Int64? {
        if let bits = integerBits { return isUnsigned && bits < 0 ? nil : bits }
        return floatingPoint.flatMap { Int64(exactly: $0) }
    }
}
