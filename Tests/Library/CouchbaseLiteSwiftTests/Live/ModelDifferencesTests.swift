import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Differences of live values")
struct ModelDifferencesTests {
    let folder: DatabaseFolder
    let tasks: ModelCollection<LiveTask>

    init() throws {
        folder = try DatabaseFolder()
        tasks = try folder.open().createCollection(name: "tasks").models()
    }

    private func save(_ id: String, _ rank: Int, _ title: String = "") throws {
        try tasks.save(LiveTask(id: id, title: title, rank: rank))
    }

    @Test("a difference has the indexes of removed, inserted, moved and updated values")
    func indexes() async throws {
        for (rank, id) in ["a", "b", "c"].enumerated() { try save(id, rank) }
        var differences = tasks.query(orderBy: [SortDescriptor(\.rank)]).live().differences().makeAsyncIterator()
        let first = try #require(try await differences.next())
        #expect(first.inserted == [0, 1, 2] && first.removed == [] && first.oldModels == [])
        try tasks.collection.database.batch {
            try tasks.delete(#require(try tasks.get("b")))
            try save("a", 5)
            try save("d", 4, "new")
        }
        let second = try #require(try await differences.next())
        #expect(second.models.map(\.id) == ["c", "d", "a"])
        #expect(second.oldModels == first.models)
        #expect(second.removed == [1])
        #expect(second.inserted == [1])
        #expect(second.moved.map { [$0.old, $0.new] } == [[0, 2]])
        #expect(second.updated.map { [$0.old, $0.new] } == [[0, 2]])
        #expect(!second.isEmpty)
        var made: [String] = []
        var titles = ["A", "B", "C"]
        second.apply(to: &titles) { task in
            made.append(task.id ?? "")
            return task.title
        }
        #expect(titles == ["C", "new", ""])
        #expect(made == ["d", "a"])
        var wrong = ["x"]
        second.apply(to: &wrong, \.title)
        #expect(wrong == ["", "new", ""])
    }

    @Test("random changes applied to a list as a list view does lead to the new values")
    func random() async throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        var differences = tasks.query(where: #Predicate { $0.rank >= 0 }, orderBy: [SortDescriptor(\.rank)]).live().differences()
            .makeAsyncIterator()
        var list: [LiveTask] = []
        for round in 0..<20 {
            try tasks.collection.database.batch {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let id = "\(Int.random(in: 0..<12, using: &random))"
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: try tasks.get(id).map { try tasks.delete($0) }
                    default: try save(id, Int.random(in: -3..<40, using: &random), "\(round)")
                    }
                }
                // Marks the round, so that its results can be waited for.
                try save("round", 1000 + round, "\(round)")
            }
            while list.last?.rank != 1000 + round {
                let difference = try #require(try await differences.next())
                list = updated(list, by: difference)
                #expect(list == difference.models)
                #expect(list.map(\.rank) == list.map(\.rank).sorted())
            }
        }
        #expect(list == (try tasks.query(where: #Predicate { $0.rank >= 0 }, orderBy: [SortDescriptor(\.rank)]).all()))
    }

    /// Updates a list as the documentation of `ModelDifference` describes it.
    private func updated(_ list: [LiveTask], by difference: ModelDifference<LiveTask>) -> [LiveTask] {
        var list = list
        let old = list
        for index in (difference.removed + difference.moved.map(\.old)).sorted(by: >) { list.remove(at: index) }
        let placed = difference.inserted.map { ($0, difference.models[$0]) } + difference.moved.map { ($0.new, old[$0.old]) }
        for (index, task) in placed.sorted(by: { $0.0 < $1.0 }) { list.insert(task, at: index) }
        for pair in difference.updated { list[pair.new] = difference.models[pair.new] }
        return list
    }
}
