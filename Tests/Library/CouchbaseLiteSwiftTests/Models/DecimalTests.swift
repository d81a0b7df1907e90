import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

@Suite("Decimal numbers and durations in documents and queries")
struct DecimalTests {
    struct Item: Codable {
        @DocumentID var id: String?
        var price: Decimal
        var reduced: Decimal?
    }

    struct Trip: Codable {
        @DocumentID var id: String?
        var time: Duration
    }

    let test: TestDatabase
    let database: Database
    let collection: Collection
    let items: ModelCollection<Item>
    let trips: ModelCollection<Trip>

    init() throws {
        test = try TestDatabase()
        database = test.database
        collection = try database.createCollection(name: "items")
        items = collection.models(Item.self)
        trips = try database.createCollection(name: "trips").models(Trip.self)
    }

    private func number(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

    /// The number that Foundation makes of a `Double`, which has digits that nobody has written. Foundation for Apple platforms makes others.
    private func madeOf(_ number: Double) -> Decimal { Decimal(number) }

    /// A value as text, and whether it is a number.
    private func form(_ value: Any?) -> String { "\(value is String ? "text" : "number") \(value ?? "nil")" }

    private func save(_ prices: String...) throws {
        for price in prices.shuffled() { try items.save(Item(price: number(price), reduced: number(price))) }
    }

    @Test("decimal numbers compare as numbers in predicates, sort descriptors, SQL++ and aggregates")
    func compares() throws {
        try save("-1", "0", "9.99", "10", "100.5", "1234567890123.45")
        let (ten, limit) = (Decimal(10), try number("100.50"))
        #expect(try items.query(where: #Predicate { $0.price < ten }).count() == 3)
        #expect(try items.query(where: #Predicate { $0.price < 10 && $0.price > 9.98 }).count() == 1)
        #expect(try items.query(where: #Predicate { $0.price == limit }).count() == 1)
        #expect(try items.query(where: #Predicate { ($0.reduced ?? 0) >= limit }).count() == 2)
        #expect(try items.query(where: #Predicate { $0.price * 2 + 1 == 21 }).count() == 1)
        #expect(try items.query(where: #Predicate { (ten...limit).contains($0.price) }).count() == 2)
        #expect(try items.query(where: #Predicate { [ten, limit].contains($0.price) }).count() == 2)
        let sorted = try items.query(orderBy: [SortDescriptor(\.price)]).all().map(\.price)
        #expect(sorted == ["-1", "0", "9.99", "10", "100.5", "1234567890123.45"].compactMap { Decimal(string: $0) })
        #expect(try items.query(orderBy: [SortDescriptor(\.reduced, order: .reverse)]).first()?.price == number("1234567890123.45"))
        let sum = try database.query("SELECT sum(price) AS total, max(price) AS most FROM items WHERE price < \(limit)").execute()
        #expect(abs(try #require(sum.next()).double(forKey: "total") - 18.99) < 1e-9)
    }

    @Test("a decimal number is the same as a parameter, an interpolated value, an expression and a value that is set")
    func sameForm() throws {
        for text in ["10", "9.99", "18446744073709551615", "-0.000001", "1e20", "0.1234567890123456789012"] {
            let value = try number(text)
            let document = MutableDocument(id: "it").setValue(value, forKey: "price").setValue([value], forKey: "list")
            try collection.save(document: document)
            try items.save(Item(id: "model", price: value))
            let stored = form(try collection.document(id: "it")?.value(forKey: "price"))
            #expect(try form(collection.document(id: "model")?.value(forKey: "price")) == stored)
            #expect(try form(collection.document(id: "it")?.array(forKey: "list")?.value(at: 0)) == stored)
            #expect(form(Parameters(["value": value]).value(forName: "value")) == stored)
            #expect(stored.hasPrefix("number") == (text.count < 21))
            #expect(try database.query("SELECT 1 FROM items WHERE price = \(value)").execute().allResults().count == 2)
            let query = try database.createQuery("SELECT 1 FROM items WHERE price = $value")
            query.parameters = Parameters().setValue(value, forName: "value")
            #expect(try query.execute().allResults().count == 2)
            let built = QueryBuilder.select(SelectResult.expression(Meta.id)).from(DataSource.collection(collection))
                .where(Expression.property("price").equalTo(Expression.value(value)))
            #expect(try built.execute().allResults().count == 2)
            #expect(try items.query(where: #Predicate { $0.price == value }).count() == 2)
            #expect(try items.get("it")?.price == value)
        }
    }

    @Test("a decimal number whose digits no number of a document has is stored as text, found and read back")
    func text() throws {
        let third = Decimal(1) / 3
        try items.save(Item(id: "third", price: third))
        #expect(try collection.document(id: "third")?.string(forKey: "price") == third.description)
        #expect(try items.get("third")?.price == third)
        #expect(try items.query(where: #Predicate { $0.price == third }).count() == 1)
        #expect(try items.query(where: #Predicate { $0.price < 1 }).count() == 0)
        let (long, zeros) = (try number("12345678901234567890.5"), try number("12345678901234567890.500"))
        try items.save(Item(id: "long", price: long))
        #expect(try items.query(where: #Predicate { $0.price == zeros }).first()?.price == long)
    }

    @Test("a decimal number or duration that was made of a Double is stored as this number")
    func made() throws {
        for double in [19.99, 4.35, 0.07, 7917.73, 6_712_261_844.93, 668_812_012.32, -965_986_551, 884_232_821_907] {
            try items.save(Item(id: "it", price: madeOf(double)))
            try trips.save(Trip(id: "it", time: .seconds(double)))
            for stored in [try collection.document(id: "it")?.value(forKey: "price"), try trip("it")?.value(forKey: "time")] {
                #expect(stored is NSNumber && stored as? Double == double)
            }
            #expect(try items.get("it")?.price == Decimal(string: "\(double)"))
            let made = madeOf(double)
            #expect(try items.query(where: #Predicate { $0.price == made }).count() == 1)
        }
    }

    private func trip(_ id: String) throws -> Document? { try database.collection(name: "trips")?.document(id: id) }

    @Test("durations are numbers of seconds, which compare, sort and add up")
    func durations() throws {
        let all: [Duration] = [.seconds(-30), .milliseconds(-1), .zero, .nanoseconds(1), .seconds(9), .seconds(10), .seconds(1_000_000)]
        for duration in all.shuffled() { try trips.save(Trip(time: duration)) }
        for limit in all {
            #expect(try trips.query(where: #Predicate { $0.time < limit }).count() == all.count { $0 < limit })
            #expect(try trips.query(where: #Predicate { $0.time == limit }).first()?.time == limit)
            #expect(try database.query("SELECT 1 FROM trips WHERE time = \(limit)").execute().allResults().count == 1)
        }
        #expect(try trips.query(orderBy: [SortDescriptor(\.time)]).all().map(\.time) == all)
        let sum = try database.query("SELECT sum(time) AS total FROM trips WHERE time >= 9").execute()
        #expect(sum.next()?.int(forKey: "total") == 1_000_019)
        for extreme in [Duration(attoseconds: .max), Duration(attoseconds: .min), Duration(attoseconds: 1)] {
            try trips.save(Trip(id: "extreme", time: extreme))
            #expect(try trips.get("extreme")?.time == extreme)
        }
    }

    @Test("random decimal numbers are read back as they were saved, also by a peer that has only JSON")
    func roundTrips() throws {
        let seed = TestSeed.forThisTest()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
            let value = try number("\(Bool.random(using: &random) ? "-" : "")\(digits)e\(Int.random(in: -80...80, using: &random))")
            try items.save(Item(id: "it", price: value))
            let document = try #require(try collection.document(id: "it"))
            #expect(try items.get("it")?.price == value, "\(value), seed \(seed)")
            try collection.save(document: MutableDocument(id: "copy", json: document.toJSON()))
            #expect(try items.get("copy")?.price == value, "\(value), seed \(seed)")
            if digits.count <= 15 { #expect(document.value(forKey: "price") is NSNumber, "\(value), seed \(seed)") }
        }
    }

    @Test("live models whose condition and order are those of a decimal number follow its changes, also those of a batch")
    func live() async throws {
        let limit = Decimal(10)
        var prices = items.query(where: #Predicate { $0.price <= limit }, orderBy: [SortDescriptor(\.price)]).live().makeAsyncIterator()
        #expect(try await prices.next()?.isEmpty == true)
        try database.inBatch { try save("10", "9.99", "10.01") }
        #expect(try await prices.next()?.map(\.price) == [number("9.99"), limit])
        try items.query(where: #Predicate { $0.price > limit }).update { $0.price -= 5 }
        #expect(try await prices.next()?.map(\.price) == [number("5.01"), number("9.99"), limit])
    }

    @Test("a default value and rows of queries have decimal numbers in the same form")
    func elsewhere() throws {
        struct Row: Decodable {
            var price: Decimal
            var total: Decimal
        }
        struct Rated: Codable, DefaultProviding {
            @DocumentID var id: String?
            var rate: Decimal

            static var defaultValue: Rated { Rated(rate: Decimal(5) / 10) }
        }
        try save("9.99")
        let row = try database.query("SELECT price, price * 2 AS total FROM items").execute().data(as: Row.self).first
        #expect(try row?.price == number("9.99") && row?.total == number("19.98"))
        let rated = collection.models(Rated.self)
        #expect(try rated.query().first()?.rate == number("0.5"))
        #expect(try rated.query(where: #Predicate { $0.rate < 1 }).count() == 1)
    }

    @Test("an NSDecimalNumber stays a number, and a decimal number that is none cannot be saved or compared")
    func numbers() throws {
        let document = MutableDocument().setValue(NSDecimalNumber(string: "9.99"), forKey: "a")
            .setNumber(NSDecimalNumber(string: "0.1234567890123456789"), forKey: "b")
        #expect(document.double(forKey: "a") == 9.99)
        #expect(abs(document.double(forKey: "b") - 0.1234567890123456789) < 1e-15)
        let none = MutableDocument(id: "none").setValue(Decimal.nan, forKey: "a")
        let double = MutableDocument(id: "none").setValue(Double.nan, forKey: "a")
        let error = thrown { try collection.save(document: none) }
        #expect(error != nil && error == thrown { try collection.save(document: double) })
        #expect(throws: NSError.self) { try database.query("SELECT 1 FROM items WHERE price = \(Decimal.nan)").execute() }
    }
}
