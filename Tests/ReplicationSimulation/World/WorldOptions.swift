package import DocumentStore
package import ExactStrings
import TestSupport

/// Who there is in a world, how they are configured, and what goes wrong: all that a seed chooses before the world begins.
package struct WorldOptions: Sendable {
    /// How a replicator is configured.
    package struct Replicator: Sendable {
        /// The place of the database that it works for, and of the one that it works with.
        package var node: Int
        package var target: Int
        package var isContinuous = false
        package var pushes = true
        package var pulls = true
        package var usesDeltas = true
        package var protocolVersion = 3
        package var collections: [CollectionID]
        /// Nil: all documents.
        package var documentIDs: [String]?
        /// The names of documents that filters keep away, in both directions.
        package var filtered: Set<ExactString> = []
        package var resolver = Resolver.standard
        /// How wrong the clock is that checkpoints are marked with, in seconds.
        package var clockSkew: Int64 = 0
    }

    /// What resolves conflicts.
    package enum Resolver: Sendable {
        case standard
        /// Nothing of either side is lost, unless the other has deleted the document.
        case merging
        /// The same, but it often fails.
        case failing
    }

    /// What may go wrong, each in so many of a hundred cases.
    package struct Faults: Sendable {
        package var cut = 0
        package var silence = 0
        package var lateCut = 0
        package var refusal = 0
        package var kills = 0
        package var stops = 0
        package var suspensions = 0
        package var resets = 0
    }

    package var databaseCount: Int
    package var servesDeltas: Bool
    package var replicators: [Replicator]
    package var collections: [CollectionID]
    package var documentIDs: [String]
    package var faults = Faults()
    /// How long everybody edits, and everything may go wrong.
    package var duration: Duration
    package var editCount: Int
    package var deletes: Int
    package var purges: Int
    package var blobs: Int
    package var bursts: Int
    package var textSize: Int
    package var isSlow: Bool

    /// Names of documents and keys. Most are equal to another to Swift's `String`, and none is to a database.
    package static let lookalikes = [
        "caf\u{E9}", "cafe\u{301}", "doc", "\u{212B}", "A\u{30A}", "\u{C5}", "K", "\u{212A}",
    ]

    package init(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x5157_AC1E)
        let named = [CollectionID.named("cities"), CollectionID.named("people", "world")]
        collections = random.chance(60) ? [.default] : random.chance(50) ? [.default, named[0]] : named
        databaseCount = random.pick([2, 2, 2, 2, 3, 3, 3, 4, 5])
        servesDeltas = random.chance(60)
        documentIDs = Array(Self.lookalikes.prefix(random.pick([1, 2, 3, 5, 8])))
        duration = .seconds(random.pick([5, 20, 60]))
        editCount = random.pick([3, 8, 15, 25])
        deletes = random.pick([0, 0, 10, 25])
        purges = random.pick([0, 0, 0, 8])
        blobs = random.pick([0, 0, 20, 50])
        bursts = random.chance(5) ? 4 : 0
        textSize = random.pick([10, 400, 400, 3000])
        isSlow = random.chance(15)
        replicators = []
        if !random.chance(10) {
            faults.cut = random.pick([0, 30, 70])
            faults.silence = random.pick([0, 10, 30])
            faults.lateCut = random.pick([0, 10, 30])
            faults.refusal = random.pick([0, 15])
            faults.kills = random.pick([0, 0, 20, 60])
            faults.stops = random.pick([0, 20])
            faults.suspensions = random.pick([0, 0, 20])
            faults.resets = random.pick([0, 0, 15])
        }
        let resolver = random.pick([Resolver.standard, .standard, .merging, .merging, .failing])
        let isPlain = random.chance(50)
        for node in 1..<databaseCount {
            // Most have to do with the first; some with one another. Nobody has two targets: a conflict that is resolved for one of them
            // removes the branch that the other has, and with it what both sides have in common. To keep the branch would not help, for
            // what the conflict ends with descends from one of the two, and the other server takes no conflicts.
            let target = random.chance(80) ? 0 : Int.random(in: 0..<node, using: &random)
            replicators.append(replicator(node, target, resolver, isPlain: isPlain, &random))
        }
        // The same once more: two of one app, or one that has not noticed that its first attempt goes on.
        if random.chance(10) { replicators.append(random.pick(replicators)) }
    }

    private func replicator(
        _ node: Int,
        _ target: Int,
        _ resolver: Resolver,
        isPlain: Bool,
        _ random: inout SeededGenerator
    ) -> Replicator {
        var result = Replicator(node: node, target: target, collections: collections)
        result.resolver = resolver
        result.isContinuous = random.chance(50)
        result.usesDeltas = random.chance(60)
        result.clockSkew = random.pick([0, 0, 3600, -86_400])
        if collections == [.default], random.chance(30) { result.protocolVersion = 2 }
        guard !isPlain else { return result }
        if random.chance(15) {
            result.pushes = false
        } else if random.chance(15) {
            result.pulls = false
        }
        if random.chance(15) { result.collections = [random.pick(collections)] }
        if random.chance(15) { result.documentIDs = documentIDs.filter { _ in random.chance(60) } }
        if result.documentIDs?.isEmpty == true { result.documentIDs = nil }
        if random.chance(15) { result.filtered = [ExactString(random.pick(documentIDs))] }
        return result
    }
}

extension CollectionID {
    /// A collection whose name is known to be good.
    fileprivate static func named(_ name: String, _ scope: String = CollectionID.defaultName) -> CollectionID {
        (try? CollectionID(name: name, scope: scope)) ?? .default
    }
}
