import CouchbaseLiteSwift
import DocumentStore
import Fleece

extension DocumentCollection {
    /// The highest sequence assigned so far.
    func lastSequence() throws -> UInt64 { try store.lastSequence() }

    /// Calls `body` with each tombstone, in the order of the sequences, until it returns `false`. The public API does not show deleted
    /// documents.
    func forEachTombstone(_ body: (ChangedDocument) throws -> Bool) throws {
        try store.forEachTombstone { try body(ChangedDocument(change: $0)) }
    }

    /// Removes tombstones, in transactions of limited size. Returns their number.
    ///
    /// - Parameter sequence: Tombstones with this and higher sequences are kept.
    func purgeTombstones(before sequence: UInt64, progress: (Int) -> Void) throws -> Int {
        var count = 0
        while true {
            var ids: [String] = []
            try forEachTombstone { tombstone in
                if tombstone.sequence < sequence { ids.append(tombstone.id) }
                return tombstone.sequence < sequence && ids.count < 50_000
            }
            guard !ids.isEmpty else { return count }
            for start in stride(from: 0, to: ids.count, by: 1000) {
                count += try purgeTombstones(ids[start..<min(start + 1000, ids.count)], before: sequence)
                progress(count)
            }
        }
    }

    private func purgeTombstones(_ ids: ArraySlice<String>, before sequence: UInt64) throws -> Int {
        try database.openFile().transaction { writer in
            try ids.count { id in
                // The document may have been created again since.
                guard let current = try store.document(id, includingDeleted: true), current.isDeleted, current.sequence < sequence
                else { return false }
                return try store.purge(id, in: writer)
            }
        }
    }

    /// Calls `body` with each document that expires, and the time in milliseconds since 1970, in the order of the times.
    func forEachExpiration(_ body: (_ id: String, _ milliseconds: Int64, _ isDeleted: Bool) throws -> Void) throws {
        try store.forEachExpiration { id, time, isDeleted in
            try body(id, time, isDeleted)
            return true
        }
    }

    /// Purges the documents that have expired, in transactions of limited size. Returns their IDs.
    func purgeExpired() throws -> [String] {
        let file = try database.openFile()
        var purged: [String] = []
        while case let batch = try file.transaction({
            try store.purgeExpired(now: file.options.clock.now, limit: 1000, in: $0)
        }), !batch.isEmpty {
            purged += batch
        }
        return purged
    }
}

/// The times at which the last sequences of the collections were recorded. A tombstone contains no time; these records show which tombstones
/// existed at a given time. They are kept in the database, where other programs ignore them.
struct SequenceTimes {
    struct Record {
        /// Milliseconds since 1970.
        let time: Int64
        /// The last sequences by the full names of the collections.
        let sequences: [String: UInt64]
    }

    /// The records, oldest first.
    private(set) var records: [Record]

    private static let key = "cblite.sequenceTimes"
    /// The most records; the oldest ones are removed.
    private static let maximumCount = 1000

    init(of database: Database) throws {
        let file = try database.openFile()
        let body = try file.read { try RawStore.info.document(Self.key, on: $0)?.body } ?? []
        records = Self.decode(body)
    }

    /// Records the current sequences, and stores the records.
    ///
    /// - Returns: The new record.
    static func record(in database: Database) throws -> Record {
        let file = try database.openFile()
        return try file.transaction { writer in
            let time = file.options.clock.now
            let stores = try file.collectionIDs().compactMap { try file.collection($0) }
            let sequences = try stores.map { ($0.id.fullName, try $0.lastSequence()) }
            let record = Record(time: time, sequences: Dictionary(sequences) { first, _ in first })
            let records = try SequenceTimes(of: database).records.filter { $0.time < time } + [record]
            let body = encode(records.suffix(maximumCount))
            try RawStore.info.set(key, to: RawStore.Document(body: body), in: writer)
            return record
        }
    }

    /// Returns the last sequence that a collection certainly had at a time; `nil` if that is not known.
    func sequence(of collection: DocumentCollection, at time: Int64) -> UInt64? {
        records.last { $0.time <= time && $0.sequences[collection.fullName] != nil }?.sequences[collection.fullName]
    }

    /// Returns the first recorded time at which a sequence existed; `nil` if there is none.
    func time(of sequence: UInt64, in collection: DocumentCollection) -> Int64? {
        records.first { $0.sequences[collection.fullName].map { sequence <= $0 } ?? false }?.time
    }

    /// One JSON array for each record: the time, and the sequences by name.
    private static func encode(_ records: ArraySlice<Record>) -> [UInt8] {
        let lines = records.map { record in
            JSONWriter.object { writer in
                writer.member("time", record.time)
                writer.object("sequences") { writer in
                    for (name, sequence) in record.sequences.sorted(by: { $0.key < $1.key }) { writer.member(name, sequence) }
                }
            }.string
        }
        return Array("[\(lines.joined(separator: ","))]".utf8)
    }

    private static func decode(_ body: [UInt8]) -> [Record] {
        // Another program could store something else under the key.
        guard let data = try? body.withUnsafeBytes({ try JSON.fleece($0) }) else { return [] }
        return data.withRoot { root -> [Record] in
            guard let array = root.array else { return [] }
            return (0..<array.count).compactMap { index in
                guard let item = array[index]?.dictionary, let time = item.value(for: "time")?.int64,
                    let sequences = item.value(for: "sequences")?.dictionary
                else { return nil }
                var byName: [String: UInt64] = [:]
                sequences.forEach { key, value in
                    if let name = key.text(.empty), let number = value.int64 { byName[name] = UInt64(clamping: number) }
                }
                return Record(time: time, sequences: byName)
            }
        } ?? []
    }
}
