import TestSupport
import Testing

@testable import DocumentStore

/// All operations on a stored tree are applied to every mutation: reading, searching, changing and writing it.
/// A trap or an endless loop would end the tests.
@Suite("Damaged revision trees")
struct HostileTreeTests {
    static let mutationsPerSeed = 35_000

    @Test("a damaged revision tree throws a typed error or can be used", arguments: [11, 12, 13] as [UInt64])
    func mutations(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var trees = RandomTrees(generator: SeededGenerator(seed: seed &* 7))
        let originals = (0..<40).map { _ in trees.next().encoded() }.filter { $0.count < 800 }
        var readable = 0
        for round in 0..<Self.mutationsPerSeed {
            var bytes = originals[round % originals.count]
            Self.damage(&bytes, &generator)
            do throws(RevisionTreeError) {
                let tree = try RevisionTree(stored: bytes)
                readable += 1
                Self.workOn(tree)
            } catch {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed), round \(round)")
            }
            bytes.withUnsafeBytes { _ = RecordLayout.currentBody(in: $0) }
        }
        // Both outcomes must be common, or the test tests little.
        #expect(readable > Self.mutationsPerSeed / 20, "seed \(seed)")
        #expect(readable < Self.mutationsPerSeed * 19 / 20, "seed \(seed)")
    }

    private static func damage(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &generator))
        case 1:
            bytes = (0..<Int.random(in: 0..<64, using: &generator)).map { _ in .random(in: 0...3, using: &generator) }
        case 2:
            bytes.insert(.random(in: .min ... .max, using: &generator), at: .random(in: bytes.indices, using: &generator))
        default:
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let position = Int.random(in: bytes.indices, using: &generator)
                bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
        }
    }

    private static func workOn(_ tree: RevisionTree) {
        _ = tree.history(from: tree.revisions.count - 1)
        _ = tree.hasConflict
        var changed = tree
        changed.keepBodyOnly(of: 0)
        _ = changed.append(.of("9-99"), parent: 0, flags: [], body: [0x70, 0])
        _ = changed.insert(history: [.of("8-88"), .of("7-77"), tree.revisions[0].id], flags: .keepBody, body: nil)
        changed.prune(toDepth: 3)
        changed.sort()
        changed.dropBodiesOfAncestors()
        _ = changed.encoded()
        if let leaf = changed.revisions.firstIndex(where: \.isLeaf) { changed.purge(leaf: leaf) }
        var resolved = tree
        resolved.resolveConflict(winner: tree.revisions[0].id, loser: tree.revisions[tree.revisions.count - 1].id, closingWith: .of("9-98"))
    }
}
