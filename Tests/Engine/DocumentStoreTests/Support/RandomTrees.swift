@testable import DocumentStore

/// Well-formed revision trees with branches, conflicts, bodies, remotes and refused revisions.
struct RandomTrees {
    var generator: any RandomNumberGenerator

    mutating func next() -> RevisionTree {
        var tree = RevisionTree()
        for number in 0..<Int.random(in: 1...40, using: &generator) {
            // Most revisions are children of the previous one, so that there are long branches.
            let isRoot = tree.revisions.isEmpty || Int.random(in: 0..<25, using: &generator) == 0
            let parent: Int? =
                isRoot
                ? nil : Bool.random(using: &generator) ? number - 1 : Int.random(in: 0..<number, using: &generator)
            let generation = (parent.map { tree.revisions[$0].id.generation } ?? 0) + 1
            var flags: RevisionFlags = []
            for flag: RevisionFlags in [.deleted, .hasAttachments, .keepBody, .isConflict]
            where Int.random(in: 0..<4, using: &generator) == 0 {
                flags.insert(flag)
            }
            let body = Bool.random(using: &generator) ? bytes(Int.random(in: 1...20, using: &generator)) : nil
            let sequence = UInt64.random(in: 1...1 << UInt64.random(in: 1...60, using: &generator), using: &generator)
            _ = tree.append(id(generation), parent: parent, flags: flags, body: body, sequence: sequence)
        }
        for remote in 1...3 where Bool.random(using: &generator) {
            tree.remotes[UInt16(remote)] = tree.revisions.indices.randomElement(using: &generator)
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            tree.rejected = [Int.random(in: tree.revisions.indices, using: &generator)]
        }
        tree.sort()
        return tree
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private mutating func id(_ generation: UInt64) -> TreeRevisionID {
        let digest = bytes(Bool.random(using: &generator) ? 20 : 16)
        // Digests of these lengths are within the limits.
        return digest.withUnsafeBytes { TreeRevisionID(generation: generation, digest: $0)! }
    }
}
