package import Base
package import DocumentStore
import TestSupport

/// The databases and replicators of a world, their configuration and the faults: everything that a seed determines before the world runs.
package struct WorldOptions: Sendable {
    /// The configuration of a replicator.
    package struct Replicator: Sendable {
        /// The numbers of its own database and of its target.
        package var node: Int
        package var target: Int
        package var isContinuous = false
        package var pushes = true
        package var pulls = true
        package var usesDeltas = true
        package var protocolVersion = 3
        package var collections: [CollectionID]
        /// The documents to replicate; `nil` for all.
        package var documentIDs: [String]?
        /// The IDs of documents that filters exclude, in both directions.
        package var filtered: Set<ExactString> = []
        package var resolver = Resolver.standard
        /// The error of the clock used for checkpoints, in seconds.
        package var clockSkew: Int64 = 0
    }

    /// The kind of conflict resolver.
    package enum Resolver: Sendable {
        case standard
        /// Merges both sides, unless one has deleted the document.
        case merging
        /// Merges both sides, but often fails.
        case failing
    }

    /// The probability of each fault, in percent.
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

    /// Whether the databases have version vectors, except for ``treeNodes``.
    package var usesVersions: Bool
    /// The numbers of the databases that have revision trees although the targets have version vectors.
    package var treeNodes: Set<Int> = []
    /// Whether databases get version vectors when they have replicated with faults, and are edited again before they replicate without faults.
    package var upgrades: Bool
    /// Whether only some of them get version vectors: the targets first.
    package var upgradesSome: Bool
    /// The errors of the clocks of the databases, in seconds. Version vectors allow two minutes between two databases.
    package var clockOffsets: [Int64] = []
    package var databaseCount: Int
    package var servesDeltas: Bool
    package var replicators: [Replicator]
    package var collections: [CollectionID]
    package var documentIDs: [String]
    package var faults = Faults()
    /// The time during which edits and faults occur.
    package var duration: Duration
    package var editCount: Int
    package var deletes: Int
    package var purges: Int
    package var blobs: Int
    package var bursts: Int
    package var textSize: Int
    package var isSlow: Bool

    /// Document IDs and keys. Most are equal to another one as Swift `String`s, but all differ in a database.
    package static let lookalikes = [
        "caf\u{E9}", "cafe\u{301}", "doc", "\u{212B}", "A\u{30A}", "\u{C5}", "K", "\u{212A}",
    ]

    package init(seed: UInt64) {
        var versioning = SeededGenerator(seed: seed ^ 0x7E25_1011)
        usesVersions = versioning.chance(40)
        let mixes = usesVersions && versioning.chance(50)
        upgrades = (!usesVersions || mixes) && versioning.chance(40)
        upgradesSome = versioning.chance(60)
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
            // Most replicate with the first database, some with another. None has two targets: resolving a conflict with one target
            // removes the branch that the other target has, and with it their common ancestors. Keeping the branch would not help, because
            // the resolved revision descends from only one of the two, and the other server does not accept conflicts.
            let target = random.chance(80) ? 0 : Int.random(in: 0..<node, using: &random)
            replicators.append(replicator(node, target, resolver, isPlain: isPlain, &random))
        }
        if mixes {
            for replicator in replicators where !treeNodes.contains(replicator.node) {
                // Those with version vectors do not replicate with others that have trees.
                if treeNodes.contains(replicator.target) || versioning.chance(60) { treeNodes.insert(replicator.node) }
            }
        }
        if usesVersions { clockOffsets = (0..<databaseCount).map { _ in versioning.pick([0, 0, 1, -50, 50]) } }
        // A second replicator with the same configuration, as if an app runs two, or restarts one that is still running.
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
    /// Returns a collection whose name is known to be valid.
    fileprivate static func named(_ name: String, _ scope: String = CollectionID.defaultName) -> CollectionID {
        (try? CollectionID(name: name, scope: scope)) ?? .default
    }
}
