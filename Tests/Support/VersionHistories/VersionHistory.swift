package import DocumentStore
import TestSupport

/// A document in several databases that edit it, exchange it and resolve conflicts at random, with a model of what every revision descends
/// from. The model keeps complete histories, so it knows the relation of two revisions without version vectors.
package struct VersionHistory {
    /// A database with its current revision of the document.
    private struct Replica {
        let id: SourceID
        /// The last time that it has given to a version.
        var clock: UInt64
        var revision: Modelled?
        /// All versions that it has made.
        var own: EventSet = []
    }

    /// A revision, as a database stores it.
    private struct Modelled {
        /// Relative to the database.
        var vector: VersionVector
        /// The version that names the revision.
        var event: Int
        /// The versions that the revision replaces, and itself.
        var known: EventSet
    }

    private struct EventSet: OptionSet {
        let rawValue: UInt64

        static func event(_ index: Int) -> EventSet { EventSet(rawValue: 1 << UInt64(index)) }
    }

    private var generator: SeededGenerator
    private var replicas: [Replica]
    /// All versions, with their real sources.
    private var events: [Version] = []
    /// The differences that were found.
    package private(set) var differences: [String] = []
    /// The number of compared pairs, by their relation.
    package private(set) var compared: [RevisionOrder: Int] = [:]

    /// Creates databases without the document.
    package init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        replicas = (0..<Int.random(in: 2...5, using: &generator)).map { index in
            let first = UInt8.random(in: 1...255, using: &generator)
            let id = SourceID([first, UInt8(index)] + [UInt8](repeating: first, count: 14)) ?? .treeRevisions
            // The clocks of devices differ.
            return Replica(id: id, clock: 0x18C5_F3A2_0000_0000 + UInt64.random(in: 0..<1 << 24, using: &generator) << 16)
        }
        self.generator = generator
    }

    /// Performs random changes, and compares the relation of revisions with the model before each exchange.
    package mutating func run() throws(VersionError) {
        for _ in 0..<Int.random(in: 4...60, using: &generator) where events.count < EventSet.RawValue.bitWidth && differences.isEmpty {
            let index = replicas.indices.randomElement(using: &generator) ?? 0
            if Int.random(in: 0..<3, using: &generator) == 0 {
                try edit(index)
            } else {
                try exchange(from: replicas.indices.randomElement(using: &generator) ?? 0, to: index)
            }
            check(index)
        }
    }

    private mutating func nextTime(_ index: Int) -> UInt64 {
        let step = UInt64.random(in: 1..<1 << 20, using: &generator)
        // Some times have counters.
        replicas[index].clock += Bool.random(using: &generator) ? step << 16 : step
        return replicas[index].clock
    }

    /// A new version replaces what the database had, and everything that it has made before.
    private mutating func makeEvent(_ time: UInt64, _ index: Int) -> Int {
        let event = events.count
        if let version = Version(time: time, source: replicas[index].id) { events.append(version) }
        replicas[index].own.insert(.event(event))
        return event
    }

    private mutating func edit(_ index: Int) throws(VersionError) {
        let time = nextTime(index)
        let old = replicas[index].revision
        guard let version = Version(time: time, source: .me) else { return }
        let vector = try (old?.vector ?? .empty).adding(version)
        let event = makeEvent(time, index)
        replicas[index].revision = Modelled(vector: vector, event: event, known: replicas[index].own.union(old?.known ?? []))
    }

    private mutating func exchange(from: Int, to: Int) throws(VersionError) {
        guard from != to, var incoming = replicas[from].revision else { return }
        incoming.vector = try sent(incoming.vector, from: from, to: to)
        guard let local = replicas[to].revision else {
            replicas[to].revision = incoming
            return
        }
        let expected = Self.order(incoming, local)
        let found = incoming.vector.compare(local.vector)
        compared[expected, default: 0] += 1
        if found != expected {
            differences.append("\(incoming.vector) and \(local.vector) are \(found), but \(expected) in the model")
        }
        switch expected {
        case .same, .older: break
        case .newer: replicas[to].revision = incoming
        case .conflicting: try resolve(local, incoming, to)
        }
    }

    private static func order(_ one: Modelled, _ other: Modelled) -> RevisionOrder {
        if one.event == other.event { return .same }
        switch (one.known.contains(.event(other.event)), other.known.contains(.event(one.event))) {
        case (true, false): return .newer
        case (false, true): return .older
        default: return .conflicting
        }
    }

    private mutating func resolve(_ local: Modelled, _ incoming: Modelled, _ index: Int) throws(VersionError) {
        let known = local.known.union(incoming.known)
        // After conflicts were resolved on both sides, two revisions can know each other. A merge of these does not keep the later times.
        let knowEachOther = local.known.contains(.event(incoming.event)) && incoming.known.contains(.event(local.event))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return
        case 1 where !knowEachOther:
            let time = nextTime(index)
            let vector = try local.vector.merging(incoming.vector, at: time)
            let event = makeEvent(time, index)
            replicas[index].revision = Modelled(vector: vector, event: event, known: known.union(replicas[index].own))
        case let choice:
            let (winner, loser) = choice == 2 ? (local, incoming) : (incoming, local)
            let vector = try winner.vector.trivialMerge(over: loser.vector)
            // If the loser knows a later version by the same database, that one names the result.
            let current = vector.current?.absolute(replicas[index].id)
            replicas[index].revision = Modelled(vector: vector, event: events.firstIndex { $0 == current } ?? -1, known: known)
        }
    }

    /// Returns a vector as it arrives: relative to the receiver, after it was sent as text and stored in binary form.
    private mutating func sent(_ vector: VersionVector, from: Int, to: Int) throws(VersionError) -> VersionVector {
        let text = vector.absolute(replicas[from].id).description
        let received = try VersionVector(text).relative(to: replicas[to].id)
        let stored = received.binary.withUnsafeBytes { bytes in Result { try VersionVector(binary: bytes) } }
        if (try? stored.get()) != received { differences.append("\(received) is read from its binary form as \(stored)") }
        return received
    }

    /// Checks that the vector has the latest known version of every database.
    private mutating func check(_ index: Int) {
        guard let revision = replicas[index].revision else { return }
        var latest: [SourceID: UInt64] = [:]
        for (event, version) in events.enumerated() where revision.known.contains(.event(event)) {
            latest[version.source] = max(latest[version.source] ?? 0, version.time)
        }
        let vector = revision.vector.absolute(replicas[index].id)
        for (source, time) in latest where vector[source] != time {
            differences.append("\(vector) has another time of \(source) than \(String(time, radix: 16))")
        }
        for version in vector.versions where latest[version.source] == nil {
            differences.append("\(vector) has \(version), which the model does not know")
        }
    }
}
