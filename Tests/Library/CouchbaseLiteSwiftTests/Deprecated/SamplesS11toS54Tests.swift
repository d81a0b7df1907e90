import CouchbaseLiteSwift
import Testing

@Suite("Samples of queries with predicate strings and JSON")
struct SamplesS11toS54Tests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.travelSample()
    }

    @Test("hotels of a country are found with a predicate string and a parameter")
    func hotels() throws {
        let query = database.createQuery(
            where: "type == 'hotel' AND country == $COUNTRY AND name CONTAINS[c] 'hostel'",
            orderBy: ["name[cd]"]
        )
        query.parameters = ["COUNTRY": "United Kingdom"]
        query.limit = 5
        var names: [String] = []
        for row in try query.run() {
            names.append(try #require(row.document.getString("name")))
            #expect(row.documentID.hasPrefix("hotel_"))
            #expect(row.sequence > 0)
        }
        #expect(names.count == 5)
        #expect(names == names.sorted { $0.lowercased() < $1.lowercased() })
        #expect(names.allSatisfy { $0.lowercased().contains("hostel") })
    }

    @Test("airports are counted by country, with the highest altitude")
    func groups() throws {
        let query = database.createQuery(
            where: "type == 'airport' AND geo.alt BETWEEN {0, 10000}",
            groupBy: ["country"],
            having: "count(1) > 100",
            returning: ["country", "count(1)", "max(geo.alt)"],
            orderBy: ["-count(1)"]
        )
        var counts: [String: Int] = [:]
        for row in try query.run() {
            let country = try #require(row[0] as String?)
            counts[country] = row[1]
            #expect((row.value(at: 2) as? NSNumber)?.intValue == row[2] as Int)
        }
        #expect(counts.keys.contains("United States"))
        #expect(counts.values.allSatisfy { $0 > 100 })
        #expect(try query.explain().contains("GROUP BY"))
    }

    @Test("predicate queries support values in arrays, distinct values and all documents")
    func others() throws {
        let liked = database.createQuery(where: "'Armani Langworth' IN public_likes", returning: ["name"])
        #expect(try liked.run().map { $0[0] as String? }.count == 1)
        let quantified = database.createQuery(where: "type == 'hotel' AND ANY public_likes BEGINSWITH 'A'")
        quantified.limit = 3
        #expect(try Array(quantified.run()).count == 3)
        let types = database.createQuery(returning: ["type"], distinct: true, orderBy: ["type"])
        #expect(try types.run().map { $0[0] as String? }.contains("hotel"))
        let first = try #require(database.allDocuments.next())
        #expect(try database.createQuery().run().next()?.documentID == first.id)
    }

    @Test("predicate queries may be JSON")
    func json() throws {
        let condition: [Any] = ["AND", ["=", [".type"], "hotel"], ["=", [".country"], "France"]]
        let hotels = database.createQuery(where: condition, returning: [[".name"]], orderBy: ["name"])
        let names = try hotels.run().compactMap { $0[0] as String? }
        #expect(names.count > 100)
        #expect(names == names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        let whole: [String: Any] = [
            "WHAT": [["COUNT()", ["."]] as [Any]], "WHERE": condition,
        ]
        #expect(try database.createQuery(where: whole).run().map { $0[0] as Int } == [names.count])
    }
}
