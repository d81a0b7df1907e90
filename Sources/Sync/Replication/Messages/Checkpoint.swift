import Fleece

/// The progress of a replication in both directions (Replication 4.2).
struct Checkpoint: Hashable, Sendable {
    /// The local sequences that have been pushed or need not be pushed. Always contains 0.
    var completed = SequenceSet([0..<1])
    /// The last remote sequence such that it and all earlier ones have been pulled; `nil` if there is none.
    var remote: RemoteSequence?
    /// The identity of the local collection, which is another one if the collection was deleted and created again; 0 if it has none.
    var collection: UInt64 = 0
    /// The last local sequence when nothing was known, or believed, about the peer. Until all changes up to it are completed, their remote
    /// ancestors are not relied on (Replication 4.3).
    var unverified: UInt64 = 0

    init() {}

    /// The highest local sequence such that it and all lower ones are completed.
    var localMinimum: UInt64 {
        guard let first = completed.ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound - 1
    }

    /// The highest local sequence that is completed.
    var lastCompleted: UInt64 { (completed.ranges.last?.upperBound ?? 1) - 1 }

    /// Returns the JSON that is stored on both sides.
    ///
    /// - Parameter time: Seconds since 1970. For information only; it is ignored when the checkpoint is read.
    func json(time: Int64) -> [UInt8] {
        JSONWriter.object(capacity: 128) { writer in
            writer.member("time", time)
            if localMinimum > 0 { writer.member("local", localMinimum) }
            if completed.ranges.count > 1 {
                writer.array("localCompleted", completed.ranges) { writer, range in
                    writer.value(range.lowerBound)
                    writer.value(range.upperBound - range.lowerBound)
                }
            }
            if let remote { writer.member("remote", json: remote.json) }
            if unverified > localMinimum { writer.member("unverified", unverified) }
            if collection > 0 { writer.member("collection", collection) }
        }.byteArray
    }

    /// Reads the JSON of a checkpoint. Missing or invalid members count as no progress.
    init(json: [UInt8]) {
        guard let data = json.withUnsafeBytes({ try? JSON.fleece($0) }) else { return }
        data.withRoot { root in
            if let dictionary = root.dictionary { self = Checkpoint(dictionary) }
        }
    }

    /// Reads the members of a checkpoint from a dictionary that may have other members too, as in the response to `getCollections`.
    init(_ dictionary: DictionaryValue) {
        remote = dictionary.value(for: "remote").flatMap { $0.isNull ? nil : RemoteSequence($0) }
        if let pairs = dictionary.value(for: "localCompleted")?.array {
            completed = SequenceSet([0..<1] + pairs.ranges)
        } else if let local = dictionary.value(for: "local")?.sequence, local < .max {
            completed.insert(0..<local + 1)
        }
        unverified = dictionary.value(for: "unverified")?.sequence ?? 0
        collection = dictionary.value(for: "collection")?.sequence ?? 0
    }
}

extension ArrayValue {
    /// The ranges of alternating starts and lengths, up to the first invalid pair.
    fileprivate var ranges: [Range<UInt64>] {
        var result: [Range<UInt64>] = []
        for index in stride(from: 0, to: count - 1, by: 2) {
            guard let start = self[index]?.sequence, let length = self[index + 1]?.sequence else { break }
            let (end, overflows) = start.addingReportingOverflow(length)
            guard !overflows else { break }
            result.append(start..<end)
        }
        return result
    }
}

extension Value {
    fileprivate var sequence: UInt64? {
        guard let number = integerBits, number >= 0 else { return nil }
        return UInt64(number)
    }
}

extension Checkpoint {
    /// Removes everything that the peer's copy does not confirm. The database on either side may have been replaced or restored
    /// (Replication 4.3).
    ///
    /// - Parameter peer: The peer's copy; an empty checkpoint if the peer has none.
    /// - Returns: Whether the two copies agree. If not, the recorded remote ancestors of the peer must not be relied on.
    mutating func reconcile(with peer: Checkpoint) -> Bool {
        var agrees = true
        if completed != peer.completed {
            completed = completed.intersection(peer.completed)
            agrees = false
        }
        guard let remote, remote != peer.remote else { return agrees }
        guard let ours = CompoundSequence(json: remote.json),
            let theirs = peer.remote.flatMap({ CompoundSequence(json: $0.json) })
        else {
            self.remote = nil
            return false
        }
        // An earlier local sequence is only an older state, so everything up to it was pulled.
        guard theirs.isBefore(ours) else { return agrees }
        self.remote = peer.remote
        return false
    }
}
