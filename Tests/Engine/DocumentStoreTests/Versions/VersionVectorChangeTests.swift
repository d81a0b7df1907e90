import Testing

@testable import DocumentStore

@Suite("Operations on version vectors")
struct VersionVectorChangeTests {
    @Test(
        "a revision is compared with another by their current versions",
        arguments: [
            ("", "", .same), ("", "1@E", .older), ("2@E", "1@E", .newer), ("3@E; 1@I", "1@I", .newer), ("3@E; 1@I", "2@I", .conflicting),
            ("3@E; 2@I", "2@I; 1@E", .newer), ("2@E; 3@I", "3@I; 1@E", .newer), ("3@E; 2@I", "2@I; 4@E", .conflicting),
            ("3@E; 1@S, 2@I", "3@E", .same), ("4@S, 3@E, 2@I;", "3@E", .newer), ("4@S, 3@E, 2@I;", "3@E; 2@I", .newer),
            ("3@S; 2@E", "4@E; 1@S", .conflicting),
        ] as [(String, String, RevisionOrder)]
    )
    func compare(_ left: String, _ right: String, _ order: RevisionOrder) throws {
        let (left, right) = (try vector(left), try vector(right))
        #expect(left.compare(right) == order)
        let reverse: RevisionOrder = order == .newer ? .older : order == .older ? .newer : order
        #expect(right.compare(left) == reverse)
    }

    @Test(
        "a new version replaces the earlier one of its database, and all others become previous ones",
        arguments: [
            ("1@E; 0.5@I", "2@*", "2@*; 1@E, 0.5@I"), ("1@E; 0.5@I", "2@I", "2@I; 1@E"), ("1@E; 0.5@I", "0.5@I", "1@E; 0.5@I"),
            ("3@*, 2@*, 1@E; 0.5@I", "4@*", "4@*; 1@E, 0.5@I"), ("3@*, 2@*, 1@E; 0.5@I", "4@S", "4@S; 3@*, 1@E, 0.5@I"),
            ("3@*, 2@*, 1@E; 0.5@I", "4@E", "4@E; 3@*, 0.5@I"), ("", "1@*", "1@*"),
        ]
    )
    func add(_ before: String, _ version: String, _ after: String) throws {
        let version = try #require(vector(version).current)
        #expect(try vector(before).adding(version) == vector(after))
    }

    @Test("a version older than the known one of its database is refused")
    func addOlder() throws {
        let version = try #require(vector("0.4@I").current)
        let error = #expect(throws: VersionError.self) { try vector("1@E; 0.5@I").adding(version) }
        #expect(error == .olderThanKnown(version))
        #expect(error?.description == "New version timestamp is older than current one")
    }

    @Test(
        "the winner of a conflict learns the versions of the loser",
        arguments: [
            ("2@*", "3@E", "2@*; 3@E"), ("3@E", "2@*", "3@E; 2@*"), ("3@E; 4@I", "2@*; 1@S", "3@E; 4@I, 2@*, 1@S"),
            ("3@S", "2@I; 2@E, 2@*", "3@S; 2@*, 2@E, 2@I"), ("3@E; 2@*", "2.5@*; 4@E", "4@E; 2.5@*"),
            ("5@S, 4@E, 3@I; 2@M", "6@*; 4.5@S", "5@S, 4@E, 3@I; 6@*, 2@M"),
            ("5@S, 4@E, 3@I; 2@M", "6@*; 4.5@E", "5@S; 6@*, 4.5@E, 3@I, 2@M"),
            ("5@*, 4@*, 3@E; 1@I", "3.5@E", "5@*; 3.5@E, 1@I"), ("5@*, 4@*, 3@E;", "4.5@*; 2@I", "5@*, 4@*, 3@E; 2@I"), ("", "1@E", "1@E"),
        ]
    )
    func trivialMerge(_ winner: String, _ loser: String, _ result: String) throws {
        #expect(try vector(winner).trivialMerge(over: vector(loser)) == vector(result))
    }

    @Test(
        "a merge names the two versions that it merges, the later one first",
        arguments: [
            ("3@S; 2@M", "3@E; 2@I", "9@*, 3@S, 3@E; 2@I, 2@M"), ("3@S; 2@E", "4@E", "9@*, 4@E, 3@S;"),
            ("3@E; 1@*", "2@I; 1.5@*", "9@*, 3@E, 2@I;"), ("8@*", "3@M; 2@E", "9@*, 8@*, 3@M; 2@E"), ("", "3@E", "9@*; 3@E"),
            ("3@E", "", "9@*; 3@E"),
        ]
    )
    func merge(_ left: String, _ right: String, _ result: String) throws {
        #expect(try vector(left).merging(vector(right), at: 90) == vector(result))
    }

    @Test("revisions by the same database cannot be merged, and a merge is later than the own versions that it replaces")
    func mergeErrors() throws {
        let error = #expect(throws: VersionError.self) { try vector("3@E").merging(vector("2@E; 1@I"), at: 90) }
        #expect(error == .sameAuthor(try #require(exampleSources["E"])))
        #expect(error?.description == "Merging 'conflicting' vectors with the same current author")
        #expect(throws: VersionError.olderThanKnown(Version(existing: 90, .me))) { try vector("9@*").merging(vector("2@E"), at: 90) }
    }

    @Test("full vectors are changed and merged in any way, and lose the oldest previous versions")
    func full() throws {
        let maximum = VersionVector.maximumCount
        func full(_ first: UInt8, count: Int) throws -> VersionVector {
            // The oldest one is not the last one.
            let versions = try (0..<count).map { number in
                let source = [first, UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 1, count: 13)
                return Version(existing: UInt64(number == 0 ? 500_000 : 1000 + (number * 7919) % 100_003), try #require(SourceID(source)))
            }
            return try VersionVector(checking: versions, currentCount: 1)
        }
        let (left, right) = (try full(1, count: maximum), try full(2, count: maximum))
        let new = Version(existing: 600_000, .me)
        let both = Array(left.previous + right.previous)
        for (changed, mergedCount, former) in [
            (try left.adding(new), 0, Array(left.previous)), (try left.merging(right, at: new.time), 2, both),
            (try left.trivialMerge(over: right), 0, both),
        ] {
            // It can be stored and sent, so it has no more versions than are permitted.
            #expect(try VersionVector.reading(changed.binary) == changed)
            #expect(changed.merged.count == mergedCount && 1 + mergedCount + changed.previous.count == maximum)
            let kept = Set(changed.previous)
            let oldestKept = try #require(kept.map(\.time).min())
            #expect(former.filter { !kept.contains($0) }.allSatisfy { $0.time <= oldestKept })
        }
        // A vector that is not full loses nothing.
        let small = try full(3, count: maximum - 1)
        #expect(try small.adding(new).previous.count == maximum - 1)
    }

    @Test("merges of the same versions in any order are the same merge")
    func sameMerge() throws {
        #expect(try vector("4@S, 3@E, 2@I;").isSameMerge(as: vector("5@I, 3@E, 2@I;")))
        #expect(try vector("4@S, 3@E, 2@I; 1@M").isSameMerge(as: vector("5@M, 2@I, 3@E;")))
        #expect(try !vector("4@S, 3@E, 2@I;").isSameMerge(as: vector("5@M, 3@E, 1@I;")))
        #expect(try !vector("4@S").isSameMerge(as: vector("4@S")))
        #expect(try !vector("4@S, 3@E;").isSameMerge(as: vector("4@S, 3@E, 2@I;")))
    }
}
