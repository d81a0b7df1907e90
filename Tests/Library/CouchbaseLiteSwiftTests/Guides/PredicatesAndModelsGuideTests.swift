import CouchbaseLiteSwift
import Testing

final class Resort: Codable {
    @DocumentID var id: String?
    var name: String
    var country: String
    var stars: Int?
    var opened: Date
    var tags: [String]
    var reviews: [Review]

    struct Review: Codable {
        var author: String
        var rating: Int
    }
}

@Suite("The guide to predicates and models")
struct PredicatesAndModelsGuideTests {
    let test: TestDatabase
    let database: Database
    let resorts: Collection

    init() throws {
        test = try TestDatabase()
        database = test.database
        resorts = try database.defaultCollection()
        for (id, stars, rating, tag) in [("A", 4, 5, "pool"), ("B", 2, 4, "sauna"), ("C", 5, 1, "bar")] {
            let document = MutableDocument(id: id)
            document.setString("Hotel \(id)", forKey: "name").setString("France", forKey: "country")
            document.setInt(stars, forKey: "stars").setDate(
                Date(timeIntervalSince1970: 1_600_000_000),
                forKey: "opened"
            )
            document.setValue([tag], forKey: "tags").setValue([["author": "Ann", "rating": rating]], forKey: "reviews")
            try resorts.save(document: document)
        }
    }

    @Test("the examples of the guide to predicates find objects")
    func objects() throws {
        let query = resorts.models(Resort.self).query(
            where: #Predicate { $0.country == "France" && ($0.stars ?? 0) >= 3 },
            orderBy: [SortDescriptor(\.name)],
            limit: 10
        )
        for resort in try query.all() {
            print(resort.name)
        }
        let number = try query.count()
        #expect(number == 2)

        let wanted = ["pool", "sauna"]
        let since = Date(timeIntervalSince1970: 1_500_000_000)
        let popular = resorts.models(Resort.self).query(
            where: #Predicate { resort in
                resort.opened > since
                    && resort.tags.contains { wanted.contains($0) }
                    && resort.reviews.allSatisfy { $0.rating >= 4 }
            }
        )
        let loved = try popular.all()
        #expect(Set(loved.map(\.name)) == ["Hotel A", "Hotel B"])
    }

    @Test("the example of the guide to predicates counts, changes and deletes documents")
    func changes() throws {
        let models = resorts.models(Resort.self)
        let some = try models.query(where: #Predicate { $0.id == "A" }).first()
        let unrated = try models.query(where: #Predicate { $0.stars == nil }).count()

        let pools = models.query(where: #Predicate { $0.tags.contains("pool") })
        let raised = try pools.update { $0.stars = 5 }
        let removed = try models.query(where: #Predicate { ($0.stars ?? 0) < 3 }).delete()
        #expect(some?.name == "Hotel A")
        #expect((unrated, raised, removed) == (0, 1, 1))
        #expect(try models.get("A")?.stars == 5)
    }

    @Test("the conditions of the guide to predicates in SQL++ and without case find objects")
    func texts() throws {
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        let pattern = "hotel%"
        let hotels = resorts.models(Resort.self).query(
            where: "lower(name) LIKE \(pattern) AND array_length(reviews) > 0",
            orderBy: [SortDescriptor(\.name)]
        )
        print(try hotels.all().map(\.name), try hotels.count())

        let (word, country) = ("HÔTEL a", "FRANCE")
        let named = resorts.models(Resort.self).query(
            where: #Predicate { $0.name.localizedStandardContains(word) }
        )
        let french = resorts.models(Resort.self).query(
            where: #Predicate { $0.country.ignoringCase == country.ignoringCase }
        )
        print(try named.all().map(\.name), try french.count())
        #expect(printed == [#"["Hotel A", "Hotel B", "Hotel C"] 3"#, #"["Hotel A"] 3"#])
    }

    @Test("the example of the guide to predicates observes the results of a model query")
    func live() async throws {
        let query = resorts.models(Resort.self).query(where: #Predicate { $0.tags.contains("pool") })
        for try await results in query.query.results() {
            let found = try query.models(in: results)
            print(found.map(\.name))
            if found.count == 1 { break }
        }
        #expect(try query.count() == 1)
    }

    @Test("the example of the guide to predicates finds rows with a predicate string")
    func strings() throws {
        let query = database.createQuery(
            where: "country == $country AND ANY reviews.rating > 3",
            returning: ["name", "stars"],
            orderBy: ["-stars", "name[c]"]
        )
        query.parameters = ["country": "France"]
        for row in try query.run() {
            let name: String? = row[0]
            print(name ?? "?", row[1] as Int)
        }
        #expect(try query.run().map { $0[1] as Int } == [4, 2])
    }
}
