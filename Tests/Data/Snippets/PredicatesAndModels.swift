import CouchbaseLiteSwift

// declarations
// block: 1
@Sendable func fill(_ resorts: CouchbaseLiteSwift.Collection) throws {
    for (id, stars, rating) in [("A", 4, 5), ("B", 2, 4), ("C", 5, 1)] {
        let document = MutableDocument(id: id).setString("Hotel \(id)", forKey: "name").setString("France", forKey: "country")
        document.setInt(stars, forKey: "stars").setDate(Date(timeIntervalSince1970: 1_600_000_000), forKey: "opened")
        document.setValue([id == "A" ? "pool" : "bar"], forKey: "tags").setValue([["author": "Ann", "rating": rating]], forKey: "reviews")
        try resorts.save(document: document)
    }
}

// program
let database = try DatabaseFolder().open("resorts")
let resorts = try database.defaultCollection()
try fill(resorts)
// block: 2
// block: 3
check(!loved.isEmpty)
// block: 6
try await expectPrinted(#"["Hotel A", "Hotel B", "Hotel C"] 3"#)
// block: 7
try await expectPrinted(#"["Hotel A"] 3"#)

// program
let resorts = try DatabaseFolder().open("resorts").defaultCollection()
try fill(resorts)
// block: 5

// program
let resorts = try DatabaseFolder().open("resorts").defaultCollection()
try fill(resorts)
let query = resorts.models(Resort.self).query(where: #Predicate { $0.tags.contains("pool") })
// block: 4

// program
let database = try DatabaseFolder().open("resorts")
try fill(database.defaultCollection())
// block: 8
check(try query.run().contains { _ in true })
