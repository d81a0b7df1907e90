import BLIP
import DocumentStore
import Testing

@testable import Replication

@Suite("Histories of outgoing revisions")
struct RevisionHistoryTests {
    private func history(
        of revision: String,
        _ ancestors: [String],
        maximum: Int = 50,
        known: [String] = [],
        fillsGaps: Bool = true
    ) throws -> [String] {
        let known = known.map { RevisionID($0) }
        return RevisionHistory.ancestors(
            of: try #require(RevisionID(revision)),
            try ancestors.map { try #require(RevisionID($0)) },
            maximum: maximum,
            fillsGaps: fillsGaps
        ) { known.contains($0) }
    }

    @Test("a history lists all ancestors, newest first")
    func all() throws {
        #expect(try history(of: "3-cc", ["2-bb", "1-aa"]) == ["2-bb", "1-aa"])
        #expect(try history(of: "1-aa", []) == [])
    }

    @Test("a history ends at the newest ancestor that the peer has")
    func commonAncestor() throws {
        #expect(try history(of: "4-dd", ["3-cc", "2-bb", "1-aa"], known: ["2-bb", "1-aa"]) == ["3-cc", "2-bb"])
    }

    @Test("the maximum length counts the revision itself, but a known ancestor is always listed")
    func maximum() throws {
        let ancestors = ["4-dd", "3-cc", "2-bb", "1-aa"]
        #expect(try history(of: "5-ee", ancestors, maximum: 3) == ["4-dd", "3-cc"])
        #expect(try history(of: "5-ee", ancestors, maximum: 3, known: ["1-aa"]) == ["4-dd", "1-aa"])
        #expect(try history(of: "5-ee", ancestors, maximum: 1) == [])
        #expect(try history(of: "5-ee", ancestors, maximum: 1, known: ["2-bb"]) == ["2-bb"])
    }

    @Test("gaps in a history are filled with deterministic revision IDs")
    func gaps() throws {
        let filled = try history(of: "7-ff", ["4-dd", "1-aa"])
        #expect(filled.map { $0.prefix(2) } == ["6-", "5-", "4-", "3-", "2-", "1-"])
        for index in [0, 1, 3, 4] {
            #expect(filled[index].hasPrefix("\(6 - index)-faded000") && filled[index].utf8.count == 26)
        }
        #expect(Set(filled).count == 6)
        #expect(try history(of: "7-ff", ["4-dd", "1-aa"]) == filled)
        #expect(try history(of: "7-ff", ["4-dd", "1-aa"], maximum: 3) == Array(filled.prefix(2)))
        #expect(try history(of: "900-ff", ["1-aa"], maximum: 3, known: ["1-aa"]).last == "1-aa")
        #expect(try history(of: "7-ff", ["4-dd", "1-aa"], fillsGaps: false) == ["4-dd", "1-aa"])
        // Revisions older than the oldest known one stay unknown.
        #expect(try history(of: "7-ff", ["6-dd"]) == ["6-dd"])
    }

    @Test("a gap of any size is filled only up to the longest history that a peer may request")
    func hugeGap() throws {
        var peer = PeerAbilities()
        peer.learn(from: ["maxHistory": "\(Int.max)"])
        let filled = try history(of: "\(TreeRevisionID.maximumGeneration)-ff", ["1-aa"], maximum: peer.maximumHistory, known: ["1-aa"])
        #expect(filled.count == PeerAbilities.longestHistory - 1 && filled.last == "1-aa")
    }
}
