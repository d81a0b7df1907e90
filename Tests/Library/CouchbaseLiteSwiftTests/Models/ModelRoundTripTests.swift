import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Model round trips")
struct ModelRoundTripTests {
    /// A value of any kind that a model can contain.
    indirect enum Tree: Codable, Equatable {
        case leaf(Leaf)
        case list([Tree?])
        case map([String: Tree])
        case numbered([Int: Tree])
        case empty
    }

    struct Leaf: Codable, Equatable {
        var text: String
        var small: Int8
        var large: UInt64?
        var number: Double
        var single: Float?
        var flag: Bool
        var date: Date?
        var bytes: [UInt8]
    }

    @Test("random models are read back as they were saved")
    func roundTrips() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let collection = try database.defaultCollection()
        var trees: [String: Tree] = [:]
        for number in 0..<60 {
            let tree = Self.tree(&random, depth: 5)
            trees["\(number % 40)"] = tree
            let box = Box(tree, id: "\(number % 40)")
            if number.isMultiple(of: 3) {
                try database.inBatch { try collection.save(from: box) }
            } else {
                try collection.save(from: box)
            }
        }
        for (id, tree) in trees {
            #expect(try collection.document(id: id, as: Box<Tree>.self)?.value == tree, "seed \(seed), document \(id)")
        }
        try database.close()
        #expect(try folder.problems() == [], "seed \(seed)")
    }

    private static func tree(_ random: inout SeededGenerator, depth: Int) -> Tree {
        let count = Int.random(in: 0..<5, using: &random)
        switch depth == 0 ? 0 : Int.random(in: 0..<5, using: &random) {
        case 1:
            return .list((0..<count).map { _ in Bool.random(using: &random) ? nil : tree(&random, depth: depth - 1) })
        case 2:
            let pairs = (0..<count).map { _ in (text(&random), tree(&random, depth: depth - 1)) }
            return .map(Dictionary(pairs) { $1 })
        case 3:
            let pairs = (0..<count).map { _ in
                (Int.random(in: .min ... .max, using: &random), tree(&random, depth: depth - 1))
            }
            return .numbered(Dictionary(pairs) { $1 })
        case 4: return .empty
        default: return .leaf(leaf(&random))
        }
    }

    private static func leaf(_ random: inout SeededGenerator) -> Leaf {
        Leaf(
            text: text(&random),
            small: .random(in: .min ... .max, using: &random),
            large: Bool.random(using: &random) ? .random(in: 0 ... .max, using: &random) : nil,
            number: [0, -1, 0.1, 1e18, .pi].randomElement(using: &random)!
                * Double.random(in: -1e3...1e3, using: &random),
            single: Bool.random(using: &random) ? .random(in: -1...1, using: &random) : nil,
            flag: .random(using: &random),
            date: Bool.random(using: &random)
                ? Date(timeIntervalSince1970: Double(Int.random(in: -1_000_000_000...3_000_000_000, using: &random)))
                : nil,
            bytes: (0..<Int.random(in: 0..<5, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        )
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz_-AZ09 äß€😀\u{0}\"\\")
        let length = Int.random(in: 0..<20, using: &random)
        return String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "x" })
    }
}
