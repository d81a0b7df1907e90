import QueryLanguage
import TestSupport
import Testing

@testable import QueryEngine

@Suite("Fusion of ranks")
struct RankFusionTests {
    private typealias Candidate = RankFusion.Candidate<String>

    private let text = [Candidate(id: "a", value: 9), Candidate(id: "b", value: 5), Candidate(id: "c", value: 1)]
    private let vector = [Candidate(id: "c", value: 0.25), Candidate(id: "b", value: 0.5), Candidate(id: "d", value: 1.25)]

    @Test("reciprocal rank fusion adds the reciprocals of the ranks")
    func reciprocalRanks() {
        let items = RankFusion.reciprocalRank(k: 60, text: 1, vector: 1).fused(text: text, vector: vector)
        // b: 1/62 + 1/62, c: 1/63 + 1/61, a: 1/61, d: 1/63.
        #expect(items.map(\.id) == ["c", "b", "a", "d"])
        #expect(items[0].score == 1 / 63.0 + 1 / 61.0)
        #expect(items[1].score == 2 / 62.0)
        #expect(items.map(\.textScore) == [1, 5, 9, nil])
        #expect(items.map(\.distance) == [0.25, 0.5, nil, 1.25])
    }

    @Test("weights and k change the order")
    func weights() {
        #expect(RankFusion.reciprocalRank(k: 0, text: 3, vector: 1).fused(text: text, vector: vector).map(\.id) == ["a", "b", "c", "d"])
        #expect(RankFusion.reciprocalRank(k: 60, text: 0, vector: 1).fused(text: text, vector: vector).map(\.id) == ["c", "b", "d", "a"])
    }

    @Test("weighted scores are shares of the range of each list")
    func weightedScores() {
        let items = RankFusion.weightedScores(text: 0.5, vector: 0.5).fused(text: text, vector: vector)
        // a: 0.5, b: 0.25 + 0.375, c: 0 + 0.5, d: 0.
        #expect(items.map(\.id) == ["b", "a", "c", "d"])
        #expect(items.map(\.score) == [0.625, 0.5, 0.5, 0])
    }

    @Test("infinite values are the ends of the range of the finite ones, and a value that is no number is the worst")
    func infiniteValues() {
        func scores(text: [Double] = [], vector: [Double] = []) -> [Double] {
            func list(_ values: [Double]) -> [Candidate] { values.enumerated().map { Candidate(id: "\($0)", value: $1) } }
            let items = RankFusion.weightedScores(text: 1, vector: 1).fused(text: list(text), vector: list(vector))
            #expect(items.map(\.id) == items.indices.map { "\($0)" })
            return items.map(\.score)
        }
        #expect(scores(vector: [1, 3, .infinity, .nan]) == [1, 0, 0, 0])
        #expect(scores(text: [.infinity, 4, 3, 2, -.infinity, .nan]) == [1, 1, 0.5, 0, 0, 0])
        #expect(scores(text: [.infinity, -.infinity]) == [1, 0])
        #expect(scores(vector: [.infinity, .nan]) == [0, 0])
        #expect(scores(text: [.greatestFiniteMagnitude, 0, -.greatestFiniteMagnitude]) == [1, 0.5, 0])
        #expect(scores(vector: [0, .leastNonzeroMagnitude]) == [1, 0])
    }

    @Test(
        "scores of any values are numbers, higher ones come first, and among equal ones the order is that of the words, then of the vectors"
    )
    func anyValues() {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let values: [Double] = [
            0, 1, 2.5, -3, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, -.infinity, .nan,
        ]
        func list() -> [Candidate] {
            let ids = (0..<8).shuffled(using: &random).prefix(Int.random(in: 0...8, using: &random))
            return ids.map { Candidate(id: "\($0)", value: values.randomElement(using: &random) ?? 0) }
        }
        for _ in 0..<500 {
            let (text, vector) = (list(), list())
            for fusion in [RankFusion.weightedScores(text: 0.5, vector: 2), .reciprocalRank(k: 60, text: 0.5, vector: 2)] {
                let items = fusion.fused(text: text, vector: vector)
                #expect(items.allSatisfy { (0...2.5).contains($0.score) }, "seed \(seed)")
                let places = Dictionary((text + vector).enumerated().map { ($1.id, $0) }) { first, _ in first }
                for (left, right) in zip(items, items.dropFirst()) where left.score <= right.score {
                    #expect(left.score == right.score && places[left.id, default: 0] < places[right.id, default: 0], "seed \(seed)")
                }
            }
        }
    }

    @Test("one item, equal values and empty lists have scores that are numbers")
    func smallLists() {
        for fusion in [RankFusion.reciprocalRank(k: 0, text: 1, vector: 1), .weightedScores(text: 1, vector: 1)] {
            #expect(fusion.fused(text: [], vector: [Candidate]()).isEmpty)
            #expect(fusion.fused(text: [text[0]], vector: []).map(\.score) == [1])
            let equal = ["x", "y"].map { Candidate(id: $0, value: 2) }
            #expect(fusion.fused(text: equal, vector: []).map(\.id) == ["x", "y"])
        }
    }

    @Test("numbers that are negative, infinite or none are refused", arguments: [-1, .infinity, .nan])
    func wrongNumbers(number: Double) {
        for fusion in [
            RankFusion.reciprocalRank(k: number, text: 1, vector: 1), .reciprocalRank(k: 1, text: number, vector: 1),
            .reciprocalRank(k: 1, text: 1, vector: number), .weightedScores(text: number, vector: 1),
            .weightedScores(text: 1, vector: number),
        ] {
            #expect(throws: QueryError.self) { try fusion.check() }
        }
    }
}
