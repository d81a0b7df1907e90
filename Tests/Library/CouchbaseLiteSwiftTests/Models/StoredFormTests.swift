import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// A model with a value of one type in every place where documents may have one.
struct Places<Value: Codable & Equatable & Sendable>: Codable {
    @DocumentID var id: String?
    var value: Value
    var maybe: Value?
    var items: [Value]
    var values: [String: Value]
    var single: Single

    /// Encodes the value as its own.
    struct Single: Codable {
        var value: Value

        init(value: Value) { self.value = value }

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    init(_ value: Value, id: String? = nil) {
        (self.value, maybe, items, values, single) = (value, value, [value], ["k": value], Single(value: value))
        self.id = id
    }

    var all: [Value] { [value, maybe, items.first, values["k"], single.value].compactMap { $0 } }
}

/// A dictionary key that represents itself as a string.
enum Level: String, Codable, CodingKeyRepresentable, CaseIterable {
    case low, high
}

@Suite("Forms in which models are stored")
struct StoredFormTests {
    let test: TestDatabase
    let collection: Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.database.defaultCollection()
    }

    private struct Wrapper<Value: Codable>: Codable { var value: Value }

    private func json(_ text: String) throws -> String {
        try canonical(JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed))
    }

    /// Checks that a value is stored as `text` says in every place, read back, and found by predicates; and that this is what `JSONEncoder` writes
    /// and `JSONDecoder` reads, unless `isJSON` is false.
    private func check<Value: Codable & Equatable & Sendable>(
        _ value: Value,
        _ text: String,
        isJSON: Bool = true,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let models = collection.models(Places<Value>.self)
        try models.save(Places(value, id: "it"))
        let document = try #require(try collection.document(id: "it"))
        let wanted = #"{"items":[\#(text)],"maybe":\#(text),"single":\#(text),"value":\#(text),"values":{"k":\#(text)}}"#
        #expect(try json(document.toJSON()) == json(wanted), sourceLocation: location)
        let read = try #require(try models.get("it"))
        #expect(read.all == Array(repeating: value, count: 5), sourceLocation: location)
        let found = [
            #Predicate<Places<Value>> { $0.value == value }, #Predicate { $0.maybe == value }, #Predicate { $0.items.contains(value) },
            #Predicate { $0.values["k"] == value },
        ]
        for predicate in found {
            let query = models.query(where: predicate)
            #expect(try query.count() == 1, "\(query.query)", sourceLocation: location)
        }
        #expect(try models.query(where: #Predicate { $0.value != value }).count() == 0, sourceLocation: location)
        let rows = try test.database.query("SELECT meta().id AS id, `value`, items, maybe, single, `values` FROM _").execute()
        #expect(try rows.data(as: Places<Value>.self).first?.all == read.all, sourceLocation: location)
        let written = String(decoding: try JSONEncoder().encode(Wrapper(value: value)), as: UTF8.self)
        #expect(try (json(written) == json(#"{"value":\#(text)}"#)) == isJSON, "\(written)", sourceLocation: location)
        if isJSON {
            let stored = try test.database.query("SELECT `value` FROM _").execute().allResults().first?.toJSON() ?? ""
            #expect(try JSONDecoder().decode(Wrapper<Value>.self, from: Data(stored.utf8)).value == value, sourceLocation: location)
        }
        try collection.purge(id: "it")
    }

    /// The message of the error with which a value is refused, in whatever place.
    private func refusal<Value: Codable & Equatable & Sendable>(_ value: Value) -> String? {
        let models = collection.models(Places<Value>.self)
        let found = message { try models.save(Places(value)) }
        #expect(found?.code == .encoding && collection.count == 0)
        let item = message { try collection.models(Box<[Value]>.self).save(Box([value])) }
        #expect(item?.code == .encoding && item?.text.contains("value[0]: ") == true)
        let entry = message { try collection.models(Box<[String: Value?]>.self).save(Box(["k": value])) }
        #expect(entry?.code == .encoding && entry?.text.contains("value.k: ") == true)
        #expect(message { _ = try models.query(where: #Predicate { $0.value == value }).count() }?.code == .invalidQuery)
        return found?.text
    }

    @Test("types that JSONEncoder handles itself are stored as it writes them, with the exception of dates")
    func special() throws {
        try check(try #require(Decimal(string: "9.99")), "9.99")
        try check(try #require(Decimal(string: "-1200")), "-1200")
        try check(try #require(URL(string: "https://example.com/a?b=c#d")), #""https://example.com/a?b=c#d""#)
        try check(Date(timeIntervalSince1970: 1.5), #""1970-01-01T00:00:01.500Z""#, isJSON: false)
        try check(["a": 1, "b": 2], #"{"a":1,"b":2}"#)
        try check([1: "a", 20: "b"], #"{"1":"a","20":"b"}"#)
        try check([Level.low: 1.5], #"{"low":1.5}"#)
        try check(["a": [URL(string: "a:b")]], #"{"a":["a:b"]}"#)
    }

    @Test("other types of Swift and Foundation are stored as they encode themselves, as in JSON, with the exception of durations")
    func others() throws {
        try check(try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")), #""E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#)
        try check(Duration.milliseconds(1500), "1.5", isJSON: false)
        try check(1..<5, "[1,5]")
        try check(1...5, "[1,5]")
        try check(Set([3]), "[3]")
        try check(CGPoint(x: 1, y: 2), "[1,2]")
        try check(CGSize(width: 3, height: 4), "[3,4]")
        try check(CGFloat(1.5), "1.5")
        try check(Float16(1.5), "1.5")
        try check(CGRect(x: 1, y: 2, width: 3, height: 4), "[[1,2],[3,4]]")
        try check(try #require(TimeZone(identifier: "Europe/Paris")), #"{"identifier":"Europe/Paris"}"#)
        try check(IndexSet([1, 2, 9]), #"{"indexes":[{"length":2,"location":1},{"length":1,"location":9}]}"#)
        try check(IndexPath(indexes: [1, 2]), #"{"indexes":[1,2]}"#)
        try check(Locale.Currency("EUR"), #""EUR""#)
        try check(
            Measurement(value: 5, unit: UnitLength.meters),
            #"{"unit":{"converter":{"coefficient":1,"constant":0},"symbol":"m"},"value":5}"#
        )
    }

    @Test("locales, calendars, intervals and components of dates are read as they were stored")
    func structures() throws {
        func roundTrip<Value: Codable & Equatable & Sendable>(_ value: Value) throws -> [Value] {
            let models = collection.models(Places<Value>.self)
            try models.save(Places(value, id: "it"))
            return try models.get("it")?.all ?? []
        }
        #expect(try Set(roundTrip(Locale(identifier: "de_DE"))) == [Locale(identifier: "de_DE")])
        #expect(try Set(roundTrip(Calendar(identifier: .iso8601))) == [Calendar(identifier: .iso8601)])
        #expect(try Set(roundTrip(DateComponents(year: 2020, month: 2))) == [DateComponents(year: 2020, month: 2)])
        #expect(try collection.document(id: "it")?.dictionary(forKey: "value")?.int(forKey: "year") == 2020)
        let interval = DateInterval(start: Date(timeIntervalSince1970: 0), duration: 5)
        #expect(try Set(roundTrip(interval)) == [interval])
        #expect(try collection.document(id: "it")?.dictionary(forKey: "value")?.string(forKey: "start") == "1970-01-01T00:00:00.000Z")
    }

    @Test("ranges with one bound are stored as an array of the bound, as in JSON")
    func partialRanges() throws {
        struct Bounds: Codable {
            @DocumentID var id: String?
            var from: PartialRangeFrom<Int>
            var upTo: PartialRangeUpTo<Int>
            var through: PartialRangeThrough<Int>
        }
        let models = collection.models(Bounds.self)
        try models.save(Bounds(id: "it", from: 1..., upTo: ..<5, through: ...6))
        let stored = try #require(try collection.document(id: "it")).toJSON()
        #expect(try json(stored) == json(#"{"from":[1],"through":[6],"upTo":[5]}"#))
        let read = try #require(try models.get("it"))
        #expect(read.from.lowerBound == 1 && read.upTo.upperBound == 5 && read.through.upperBound == 6)
    }

    @Test("values of a Calendar or TimeZone do not hide the keys of other properties")
    func samples() throws {
        struct Event: Codable {
            @DocumentID var id: String?
            var title: String
            var zone: TimeZone
            var calendar: Calendar

            enum CodingKeys: String, CodingKey { case id, zone, calendar, title = "name" }
        }
        let events = collection.models(Event.self)
        let zone = try #require(TimeZone(identifier: "Europe/Paris"))
        try events.save(Event(title: "a", zone: zone, calendar: Calendar(identifier: .gregorian)))
        #expect(try events.query(where: #Predicate { $0.title == "a" && $0.zone == zone }).count() == 1)
    }

    @Test("binary data, large integers and internal forms of types are refused with the path and the reason")
    func refused() throws {
        #expect(refusal(Data([1]))?.contains(" at value: binary data cannot be stored in a property, use a Blob") == true)
        #expect(refusal(Int128(1))?.contains(" at value: integers of more than 64 bits cannot be stored") == true)
        #expect(refusal(CharacterSet.decimalDigits)?.contains(" at value: a set of characters is binary data; store a string") == true)
        #expect(refusal(ContinuousClock.now)?.contains(" at value: the time of a clock that begins when the device starts") == true)
        #expect(refusal(SuspendingClock.now)?.contains(" at value: the time of a clock that begins when the device starts") == true)
    }

    @Test("numbers that are not finite are refused in whatever type they are")
    func notFinite() throws {
        #expect(refusal(Double.infinity)?.contains(" at value: inf cannot be stored, only finite numbers can") == true)
        #expect(refusal(-Float.infinity)?.contains(" at value: -inf cannot be stored, only finite numbers can") == true)
        #expect(refusal(Decimal.nan)?.contains(" at value: nan cannot be stored, only finite numbers can") == true)
        for error in [refusal(CGFloat.infinity), refusal(Float16.infinity)] {
            #expect(error?.contains("inf cannot be stored, only finite numbers can") == true)
        }
        #expect(message { try collection.models(Box<[Double: Int]>.self).save(Box([.infinity: 1])) }?.code == .encoding)
        #expect(message { try collection.models(Box<[Decimal: Int]>.self).save(Box([.nan: 1])) }?.code == .encoding)
    }

    @Test("dictionaries whose keys are no strings are stored as arrays of keys and values, in the form of both")
    func keys() throws {
        func stored<Key: Codable & Hashable>(_ key: Key) throws -> String? {
            let box = Box([key: 1], id: "keys")
            try collection.save(from: box)
            #expect(try collection.document(id: "keys", as: Box<[Key: Int]>.self)?.value == box.value)
            return try collection.document(id: "keys")?.array(forKey: "value")?.toJSON()
        }
        #expect(try stored(try #require(Decimal(string: "0.5"))) == "[0.5,1]")
        #expect(try stored(try #require(URL(string: "a:b"))) == #"["a:b",1]"#)
        #expect(try stored(Date(timeIntervalSince1970: 0)) == #"["1970-01-01T00:00:00.000Z",1]"#)
        #expect(try stored(Duration.seconds(2)) == "[2,1]")
        #expect(try stored(try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")))?.contains("E621E1F8-C36C") == true)
    }

    @Test("predicates find the entry of a dictionary by a key that represents itself as a string")
    func keysOfPredicates() throws {
        let models = collection.models(Places<[Level: Int]>.self)
        try models.save(Places([.low: 1]))
        let (low, high) = (Level.low, Level.high)
        #expect(try models.query(where: #Predicate { $0.value[low] == 1 && $0.value[high] == nil }).count() == 1)
        #expect(try models.query(where: #Predicate { $0.value[low, default: 0] == 1 && $0.value[high, default: 7] == 7 }).count() == 1)
        #expect(try models.query(where: #Predicate { $0.value[high] == 1 }).count() == 0)
    }

    @Test("predicates search the text of URLs and UUIDs")
    func texts() throws {
        let urls = collection.models(Places<URL>.self)
        try urls.save(Places(try #require(URL(string: "https://example.com/a"))))
        #expect(try urls.query(where: #Predicate { $0.value.absoluteString.starts(with: "https:") }).count() == 1)
        #expect(try urls.query(where: #Predicate { $0.maybe?.absoluteString.contains("nowhere") ?? false }).count() == 0)
        let path = message { _ = try urls.query(where: #Predicate { $0.value.path == "/a" }).count() }
        #expect(path?.code == .invalidQuery && path?.text.contains("of a URL only absoluteString is supported") == true)
        #expect(message { _ = try urls.query(where: #Predicate { $0.value.isFileURL }).count() }?.code == .invalidQuery)
        let uuids = collection.models(Places<UUID>.self)
        let uuid = UUID()
        try uuids.save(Places(uuid))
        let text = uuid.uuidString
        #expect(try uuids.query(where: #Predicate { $0.value.uuidString == text }).count() == 1)
    }

    @Test("a URL with a base is stored as a whole, and may be the ID of a document")
    func urls() throws {
        struct Page: Codable, Identifiable {
            var id: URL
            var title: String
        }
        let relative = try #require(URL(string: "c", relativeTo: URL(string: "https://example.com/a/b")))
        try collection.save(from: Box(relative, id: "relative"))
        #expect(try collection.document(id: "relative")?.string(forKey: "value") == "https://example.com/a/c")
        let pages = collection.models(Page.self)
        let page = Page(id: try #require(URL(string: "https://example.com/")), title: "Home")
        try pages.save(page)
        #expect(try collection.document(id: "https://example.com/")?.toJSON() == #"{"title":"Home"}"#)
        #expect(try pages.get("https://example.com/")?.id == page.id)
    }
}
