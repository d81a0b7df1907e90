import DocumentStore
import Foundation
import ModelCoding
import Testing

@testable import CouchbaseLiteSwift

/// A model with a counter.
struct StockedArticle: Codable, Identifiable, Equatable {
    @DocumentID var id: String?
    var name = "screw"
    @Counter var stock: Int

    init(_ id: String, _ stock: Int) {
        self.id = id
        _stock = Counter(wrappedValue: stock)
    }
}

@Suite("Counters of models")
struct CounterTests {
    let folder: DatabaseFolder
    let database: Database
    let collection: Collection
    let articles: ModelCollection<StockedArticle>

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        collection = try database.defaultCollection()
        articles = collection.models(StockedArticle.self)
    }

    private func document(_ id: String = "a") throws -> Document { try #require(try collection.document(id: id)) }

    /// The tallies of a document, and the number at the start.
    private func tallies(_ id: String = "a") throws -> (start: Int, by: [String: [Int]])? {
        guard let entries = try document(id).dictionary(forKey: "stock_counter") else { return nil }
        let array = try #require(entries.array(forKey: "by"))
        var by: [String: [Int]] = [:]
        for index in 0..<array.count {
            let tally = try #require(array.array(at: index))
            by[try #require(tally.string(at: 0))] = [tally.int(at: 1), tally.int(at: 2)]
        }
        return (entries.int(forKey: "start"), by)
    }

    private func write(_ json: String, _ id: String = "a") throws { try collection.save(document: MutableDocument(id: id, json: json)) }

    @Test("a counter is printed as its number, and a printed model shows the number")
    func printing() throws {
        let article = StockedArticle("a", 10)
        #expect("\(Counter(wrappedValue: 3))" == "3")
        #expect("\(article)" == #"StockedArticle(_id: "a", name: "screw", _stock: 10)"#)
        var dumped = ""
        dump(article, to: &dumped)
        #expect(dumped.contains("_stock: 10") && !dumped.contains("PendingCount"))
    }

    @Test("a counter is a plain number with a start, and with a tally of what this database has added and subtracted")
    func stored() throws {
        var article = StockedArticle("a", 10)
        try articles.save(&article)
        #expect(try document().toJSON().contains(#""stock":10"#))
        #expect(try tallies()?.start == 10 && tallies()?.by.isEmpty == true)
        article.stock -= 3
        try articles.save(&article)
        article.stock += 1
        try articles.save(&article)
        #expect(article.stock == 8)
        #expect(try articles.get("a") == article)
        let tallies = try #require(try tallies())
        let device = try database.openFile().counterDevice()
        #expect(tallies.start == 10 && tallies.by == [device: [1, 3]])
        #expect(device.count == 16 && device.allSatisfy { $0.isHexDigit })
        #expect(try articles.query(where: #Predicate { $0.stock == 8 }).all() == [article])
        try database.close()
        #expect(try folder.problems() == [])
    }

    @Test("copies that change the counter one after the other add up, also without a check for conflicts")
    func stale() throws {
        let article = try articles.save(StockedArticle("a", 10))
        var (first, second) = (article, article)
        first.stock -= 1
        second.stock -= 2
        second.name = "nail"
        try articles.save(&first)
        try articles.save(&second)
        #expect(try articles.get("a")?.stock == 7)
        #expect(second.stock == 8)
        second.stock -= 1
        try articles.save(&second)
        #expect(try articles.get("a")?.stock == 6 && articles.get("a")?.name == "nail")
    }

    @Test("a change is saved once, whichever copy of the model is saved, and however often")
    func once() throws {
        var article = try articles.save(StockedArticle("a", 10))
        article.stock -= 1
        let copy = article
        try articles.save(article)
        try articles.save(copy)
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 9)
        struct Plain: Codable, Identifiable {
            var id: String
            @Counter var stock: Int
        }
        var plain = try #require(try collection.models(Plain.self).get("a"))
        plain.stock -= 1
        try collection.models(Plain.self).save(plain)
        try collection.models(Plain.self).save(plain)
        #expect(try document().int(forKey: "stock") == 8)
    }

    @Test("a save without a change of the counter leaves its stored number and tallies as they are")
    func unchanged() throws {
        var article = try articles.save(StockedArticle("a", 10))
        var other = article
        other.stock += 5
        try articles.save(other)
        article.name = "nail"
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 15)
        try write(#"{"name":"bolt","stock":7}"#, "b")
        article = try #require(try articles.get("b"))
        article.name = "nail"
        try articles.save(&article)
        #expect(try document("b").toJSON() == #"{"name":"nail","stock":7}"#)
    }

    @Test("saving a new model over a document sets the number, and a deleted document begins anew")
    func new() throws {
        try articles.save(StockedArticle("a", 10))
        try articles.save(StockedArticle("a", 4))
        #expect(try document().int(forKey: "stock") == 4)
        #expect(try tallies()?.start == 10 && tallies()?.by.values.first == [0, 6])
        var article = try #require(try articles.get("a"))
        try articles.delete(article)
        article.stock = 3
        try articles.save(&article)
        #expect(try tallies()?.start == 3 && tallies()?.by.isEmpty == true)
    }

    @Test("the tallies are kept whatever a save does with other properties that the type does not have")
    func unknownFields() throws {
        let dropping = collection.models(StockedArticle.self, unknownFields: .drop)
        try write(#"{"name":"bolt","stock":7,"x":1}"#)
        var article = try #require(try dropping.get("a"))
        article.stock += 1
        try dropping.save(&article)
        article.stock += 1
        try dropping.save(&article)
        #expect(try document().keys.sorted() == ["name", "stock", "stock_counter"])
        #expect(try tallies()?.start == 7 && tallies()?.by.values.first == [2, 0])
        final class Item: Codable {
            @DocumentID var id: String?
            @Counter var stock: Int
        }
        let item = try #require(try collection.document(id: "a", as: Item.self))
        item.stock -= 4
        try collection.save(from: item)
        try collection.save(from: item)
        #expect(try document().keys.sorted() == ["stock", "stock_counter"])
        #expect(try document().int(forKey: "stock") == 5 && tallies()?.by.values.first == [2, 4])
    }

    @Test("what a program without counters has changed is given to the revision in which it is found")
    func plainWrites() throws {
        var article = try articles.save(StockedArticle("a", 10))
        let plain = try document().toMutable().setInt(7, forKey: "stock")
        try collection.save(document: plain)
        let revision = try #require(plain.revisionID)
        article.stock -= 1
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 6)
        let by = try #require(try tallies()?.by)
        #expect(by["2-" + revision.dropFirst(2).prefix(12)] == [0, 3] && by.count == 2)
        try database.execute("UPDATE _ SET stock = stock + 20")
        article.stock -= 1
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 25 && tallies()?.by.count == 3)
    }

    @Test("after a batch is rolled back, the change of a counter is pending again")
    func rolledBack() throws {
        struct Abort: Error {}
        var article = try articles.save(StockedArticle("a", 10))
        article.stock -= 1
        #expect(throws: Abort.self) {
            try database.batch {
                try articles.save(&article)
                article.stock -= 1
                try articles.save(&article)
                throw Abort()
            }
        }
        #expect(article.stock == 8)
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 8)
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 8)
    }

    @Test("a conflict handler of a save need not touch the counter")
    func handler() throws {
        let article = try articles.save(StockedArticle("a", 10))
        var (first, second) = (article, article)
        first.stock -= 1
        try articles.save(&first)
        second.stock -= 1
        second.name = "nail"
        #expect(try articles.save(&second, concurrencyControl: .failOnConflict) == false)
        let isSaved = try articles.save(&second) { mine, stored in
            mine.name += stored?.name ?? ""
            return true
        }
        #expect(isSaved)
        #expect(try document().int(forKey: "stock") == 8 && document().string(forKey: "name") == "nailscrew")
    }

    @Test("other coders encode and decode a counter as a number")
    func json() throws {
        struct Part: Codable, Hashable { @Counter var stock: Int }
        let part = try JSONDecoder().decode(Part.self, from: Data(#"{"stock":3}"#.utf8))
        #expect(String(decoding: try JSONEncoder().encode(part), as: UTF8.self) == #"{"stock":3}"#)
        var other = part
        #expect(other == part && other.hashValue == part.hashValue)
        other.stock += 1
        #expect(other != part && part.stock == 3)
        // It was not read from a document, so that a save sets the number.
        try articles.save(StockedArticle("a", 10))
        let article = try JSONDecoder().decode(StockedArticle.self, from: Data(#"{"id":"a","name":"x","stock":3}"#.utf8))
        try articles.save(article)
        #expect(try document().int(forKey: "stock") == 3)
    }

    @Test("a counter that is not a property of the model itself is an error")
    func nested() throws {
        struct Shelf: Codable {
            struct Place: Codable { @Counter var stock: Int }
            @DocumentID var id: String?
            var place: Place?
            var places: [Place] = []
        }
        let place = Shelf.Place(stock: 1)
        for shelf in [Shelf(place: place), Shelf(places: [place])] {
            #expect(thrown { _ = try collection.models(Shelf.self).save(shelf) } == .couchbaseLite(CBLError.encodingError))
        }
        #expect(collection.count == 0)
    }

    @Test("a number or a tally that would exceed 64 bits is an error, and changes nothing")
    func overflow() throws {
        try write(#"{"name":"a","stock":9223372036854775806}"#)
        var article = try #require(try articles.get("a"))
        let copy = article
        article.stock += 1
        try articles.save(&article)
        #expect(try document().int64(forKey: "stock") == .max)
        var second = copy
        second.stock += 1
        #expect(thrown { try articles.save(&second) } == .couchbaseLite(CBLError.encodingError))
        #expect(try document().int64(forKey: "stock") == .max && second.stock == .max)
        // The tally of this database is full, and the number is not.
        let device = try database.openFile().counterDevice()
        let tallies = #"{"@type":"counter","start":0,"by":[["\#(device)",9223372036854775807,9223372036854775807]]}"#
        try write(#"{"name":"a","stock":0,"stock_counter":\#(tallies)}"#)
        for change in [1, -1] {
            var article = try #require(try articles.get("a"))
            article.stock += change
            #expect(thrown { try articles.save(&article) } == .couchbaseLite(CBLError.encodingError))
        }
        // The difference to the tallies exceeds 64 bits.
        try write(#"{"name":"a","stock":-9223372036854775808,"stock_counter":{"@type":"counter","start":9223372036854775807,"by":[]}}"#)
        var last = try #require(try articles.get("a"))
        last.stock += 1
        #expect(thrown { try articles.save(&last) } == .couchbaseLite(CBLError.encodingError))
    }

    @Test(
        "tallies that are damaged count as none",
        arguments: [
            "1", "null", "[]", #""x""#, "{}", #"{"@type":"blob","digest":"sha1-x"}"#, #"{"@type":"counter"}"#,
            #"{"@type":"counter","start":"1","by":[]}"#, #"{"@type":"counter","start":1.5,"by":[]}"#,
            #"{"@type":"counter","start":1,"by":{}}"#, #"{"@type":"counter","start":1,"by":["a",1,2]}"#,
            #"{"@type":"counter","start":1,"by":[["a",1]]}"#, #"{"@type":"counter","start":1,"by":[["a",1,-1]]}"#,
            #"{"@type":"counter","start":1,"by":[["a",1,2,3]]}"#, #"{"@type":"counter","start":1,"by":[[1,2,3]]}"#,
            #"{"@type":"counter","start":1,"by":[["a",1e300,0]]}"#, #"{"@type":"counter","start":18446744073709551615,"by":[]}"#,
            #"{"@type":"counter","start":1,"by":[["a","1","2"]]}"#, #"{"@type":"counter","start":1,"by":[["a",1,0],["a",1,0]]}"#,
        ]
    )
    func damaged(_ tallies: String) throws {
        try write(#"{"name":"a","stock":5,"stock_counter":\#(tallies)}"#)
        var article = try #require(try articles.get("a"))
        #expect(article.stock == 5)
        article.stock -= 1
        try articles.save(&article)
        #expect(try document().int(forKey: "stock") == 4)
        #expect(try self.tallies()?.start == 5 && self.tallies()?.by.values.first == [0, 1])
    }

    @Test("a number that is not whole is a decoding error, and a model that is saved over it begins anew")
    func noNumber() throws {
        for number in ["1.5", #""x""#, "1e300", "18446744073709551615"] {
            try write(#"{"name":"a","stock":\#(number)}"#)
            #expect(thrown { _ = try articles.get("a") } == .couchbaseLite(CBLError.decodingError))
        }
        try articles.save(StockedArticle("a", 3))
        #expect(try document().int(forKey: "stock") == 3 && tallies()?.start == 3)
        try write(#"{"name":"a","stock":4.0}"#)
        #expect(try articles.get("a")?.stock == 4)
    }

    @Test("a document has the tallies of at most 64 devices and 16 revisions, and always that of this database")
    func bounded() throws {
        var entries = (0..<100).map { #"["\#(String($0 + 0x1000, radix: 16))",\#($0 + 10),0]"# }
        entries += (0..<40).map { #"["\#($0 + 2)-abcdef",0,1]"# }
        let sum = (0..<100).reduce(0) { $0 + $1 + 10 } - 40
        let by = entries.joined(separator: ",")
        try write(#"{"name":"a","stock":\#(sum),"stock_counter":{"@type":"counter","start":0,"by":[\#(by)]}}"#)
        var article = try #require(try articles.get("a"))
        article.stock += 1
        try articles.save(&article)
        let tallies = try #require(try tallies())
        let device = try database.openFile().counterDevice()
        #expect(tallies.by.count == 64 + 16 && tallies.by[device] == [1, 0])
        #expect(tallies.by["1063"] == [109, 0] && tallies.by["1000"] == nil)
        #expect(tallies.by["41-abcdef"] == [0, 1] && tallies.by["25-abcdef"] == nil)
        #expect(try document().int(forKey: "stock") == sum + 1)
        #expect(tallies.by.values.reduce(tallies.start) { $0 + $1[0] - $1[1] } == sum + 1)
    }

    @Test("a copy of a database has another name in the tallies")
    func copied() throws {
        try Database.copy(fromPath: #require(database.path), toDatabase: "copy", withConfig: folder.config)
        let copy = try folder.open("copy")
        #expect(try database.openFile().counterDevice() != copy.openFile().counterDevice())
    }
}
