import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Live values in sections")
struct LiveSectionsTests {
    struct Recipe: Codable, Identifiable, Equatable, Sendable {
        @DocumentID var id: String?
        var category: String
        var title: String
    }

    let folder: DatabaseFolder
    let recipes: ModelCollection<Recipe>

    init() throws {
        folder = try DatabaseFolder()
        recipes = try folder.open().createCollection(name: "recipes").models()
    }

    private var live: LiveSections<String, Recipe> {
        recipes.query(orderBy: [SortDescriptor(\.category), SortDescriptor(\.title)]).live(sectionedBy: \.category)
    }

    private func save(_ id: String, _ category: String, _ title: String? = nil) throws {
        try recipes.save(Recipe(id: id, category: category, title: title ?? id))
    }

    private func outline(_ sections: [ModelSection<String, Recipe>]) -> [String] {
        sections.map { "\($0.key): \($0.models.compactMap(\.id).joined(separator: " "))" }
    }

    @Test("sections have their values, and a change says what was inserted, removed, moved and updated in which section")
    func changes() async throws {
        for (id, category) in [("bread", "bake"), ("cake", "bake"), ("pie", "bake"), ("soup", "cook"), ("stew", "cook")] {
            try save(id, category)
        }
        var sections = live.makeAsyncIterator()
        let first = try #require(try await sections.next())
        #expect(outline(first.sections) == ["bake: bread cake pie", "cook: soup stew"] && first.oldSections.isEmpty)
        #expect(first.insertedSections == [0, 1] && first.inserted.isEmpty)
        try recipes.collection.database.batch {
            try recipes.delete(#require(try recipes.get("bread")))
            try save("cake", "cook")
            try save("soup", "cook", "zoup")
            try save("egg", "cook")
            try save("tea", "drink")
        }
        let second = try #require(try await sections.next())
        #expect(outline(second.sections) == ["bake: pie", "cook: cake egg stew soup", "drink: tea"])
        #expect(outline(second.oldSections) == outline(first.sections))
        #expect(second.insertedSections == [2] && second.removedSections == [])
        #expect(second.removed.map { [$0.section, $0.item] } == [[0, 0]])
        #expect(second.inserted.map { [$0.section, $0.item] } == [[1, 1]])
        let moved = second.moved.map { [$0.old.section, $0.old.item, $0.new.section, $0.new.item] }
        #expect(moved.count == 2 && moved[0] == [0, 1, 1, 0])
        #expect(second.updated.map { [$0.new.section, $0.new.item] } == [[1, 0], [1, 3]])
        #expect(!second.isEmpty && second.undecodable == [])
        try recipes.query(where: #Predicate { $0.category == "cook" }).delete()
        let third = try #require(try await sections.next())
        #expect(third.removedSections == [1] && third.removed.isEmpty && outline(third.sections) == ["bake: pie", "drink: tea"])
    }

    @Test("a section key can be computed, and each iterator observes the query for itself")
    func computed() async throws {
        try save("bread", "bake")
        let initials = recipes.query(orderBy: [SortDescriptor(\.title)]).live().sections { String($0.title.prefix(1)) }
        var one = initials.makeAsyncIterator()
        #expect(try await one.next()?.sections.map(\.id) == ["b"])
        try save("soup", "cook")
        var two = initials.makeAsyncIterator()
        // The first sections may be those of the run before.
        while try await two.next()?.sections.count != 2 {}
        #expect(try await one.next()?.insertedSections == [1])
    }

    @Test("a document that cannot be decoded is left out of the sections, and an invalid condition is thrown")
    func undecodable() async throws {
        try save("bread", "bake")
        try recipes.collection.save(document: MutableDocument(id: "bad").setString("bake", forKey: "category"))
        var sections = live.makeAsyncIterator()
        let first = try #require(try await sections.next())
        #expect(outline(first.sections) == ["bake: bread"] && first.undecodable == ["bad"])
        var failing = recipes.query(where: "title ==== 1").live(sectionedBy: \.category).makeAsyncIterator()
        await #expect(throws: NSError.self) { try await failing.next() }
    }
}
