import TestSupport
import Testing

@testable import DocumentStore

@Suite("Stored trees read in place")
struct StoredTreeTests {
    @Test("a tree read in place has the same content as the random tree that was encoded")
    func random() throws {
        let seed = TestSeed.forThisTest()
        var trees = RandomTrees(generator: SeededGenerator(seed: seed))
        for _ in 0..<300 {
            let tree = trees.next()
            let bytes = tree.encoded()
            try bytes.withUnsafeBytes { bytes in
                let stored = try StoredTree(bytes)
                try #require(stored.count == tree.revisions.count, "seed \(seed)")
                for (index, revision) in tree.revisions.enumerated() {
                    #expect(try stored.id(at: index) == revision.id)
                    #expect(stored.index(of: revision.id) == tree.index(of: revision.id))
                    #expect(stored.flags(at: index).intersection(.stored) == revision.flags)
                    #expect(stored.body(at: index).map(Array.init) == revision.body)
                    #expect(try stored.branch(from: index) == tree.branch(from: index))
                }
                for remote: UInt16 in 1...4 {
                    #expect(stored.remoteAncestor(remote) == tree.remotes[remote])
                    #expect(
                        StoredTree.remoteAncestor(remote, in: bytes)
                            == tree.remotes[remote].map { tree.revisions[$0].id }
                    )
                }
                #expect(stored.index(of: .of("99-00")) == nil)
            }
        }
    }

    @Test("damaged bytes in a tree read in place cause no crash and no endless loop")
    func damaged() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        var trees = RandomTrees(generator: random)
        for _ in 0..<300 {
            var bytes = trees.next().encoded()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let position = Int.random(in: bytes.indices, using: &random)
                bytes[position] = [0, 1, 0xFF, bytes[position] ^ 4].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            bytes.withUnsafeBytes { bytes in
                _ = StoredTree.remoteAncestor(1, in: bytes)
                guard let tree = try? StoredTree(bytes) else { return }
                for index in 0..<tree.count {
                    _ = try? tree.id(at: index)
                    _ = try? tree.branch(from: index)
                    _ = tree.body(at: index)
                }
                _ = tree.remoteAncestor(1)
            }
        }
    }

    @Test("a chain of revisions is encoded like the equivalent tree", arguments: [1, 2, 50])
    func chain(_ count: Int) {
        let ids = (1...count).reversed().compactMap { TreeRevisionID("\($0)-aabb") }
        for remote: RevisionTree.RemoteID? in [nil, 1, 300] {
            var tree = RevisionTree()
            _ = tree.insert(history: ids, flags: [.keepBody, .hasAttachments], body: nil)
            tree.sort()
            if let remote { tree.remotes[remote] = 0 }
            let chain = RevisionChain.encoded(ids[0], ancestors: ids.dropFirst(), flags: [.keepBody, .hasAttachments], remote: remote)
            #expect(chain == tree.encoded())
        }
    }
}
