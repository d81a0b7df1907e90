import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Dates of documents")
struct StoredDateTests {
    private let folder: DatabaseFolder
    private let collection: CouchbaseLiteSwift.Collection

    /// Milliseconds taken for seconds, and dates before the year 0.
    fileprivate static let unstorable = [1_540_319_581_123, 253_402_300_800, -62_167_219_200.001, .infinity, .nan]

    init() throws {
        folder = try DatabaseFolder()
        collection = try folder.open().defaultCollection()
    }

    private func expectRefusal(_ path: String, _ document: MutableDocument, _ location: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: NSError.self, sourceLocation: location) { try collection.save(document: document) }
        #expect(error?.code == CBLError.encodingError, sourceLocation: location)
        #expect(error?.localizedDescription.contains("\"\(path)\"") == true, "\(error as Any)", sourceLocation: location)
    }

    @Test(
        "saving a date outside of the years 0 to 9999 is an error that names the key, and stores nothing",
        arguments: StoredDateTests.unstorable
    )
    func refusal(seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(!MutableDocument(id: "a").setDate(date, forKey: "when").debugDescription.isEmpty)
        expectRefusal("when", MutableDocument(id: "a").setInt(1, forKey: "n").setDate(date, forKey: "when").setInt(2, forKey: "z"))
        expectRefusal("when", MutableDocument(id: "a", data: ["when": date, "other": ["x": 1]]))
        expectRefusal("event.times", MutableDocument(id: "a", data: ["a": ["b": 1], "event": ["times": [Date(), date]], "z": ["y": 1]]))
        let inner = MutableDictionaryObject().setDate(date, forKey: "end")
        expectRefusal("list.end", MutableDocument(id: "a").setArray(MutableArrayObject().addDictionary(inner), forKey: "list"))
        #expect(try collection.document(id: "a") == nil)
        try collection.save(document: MutableDocument(id: "a").setInt(1, forKey: "n"))
        let stored = try #require(try collection.document(id: "a")).toMutable()
        expectRefusal("at", stored.setDate(date, forKey: "at"))
        try collection.save(document: stored.setDate(Date(timeIntervalSince1970: 0), forKey: "at"))
        #expect(try collection.document(id: "a")?.string(forKey: "at") == "1970-01-01T00:00:00.000Z")
    }

    @Test("a model with such a date cannot be saved, and the error names the property")
    func models() throws {
        struct Event: Codable { var times: [Date] }
        final class Day: Codable {
            @DocumentID var id: String?
            var event: Event
            init(_ date: Date) { event = Event(times: [date]) }
        }
        for seconds in Self.unstorable {
            let error = #expect(throws: NSError.self) { try collection.save(from: Day(Date(timeIntervalSince1970: seconds))) }
            #expect(error?.code == CBLError.encodingError)
            #expect(error?.localizedDescription.contains("event.times") == true, "\(error as Any)")
        }
        #expect(collection.count == 0)
    }

    @Test("dates of the years 0 to 9999 are read as they were saved, to the millisecond")
    func roundTrip() throws {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        var milliseconds = [-62_167_219_200_000, 253_402_300_799_999, 0, -1]
        milliseconds += (0..<500).map { _ in Int.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random) }
        let dates = milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        let array = MutableArrayObject(data: dates)
        #expect(dates.indices.allSatisfy { array.date(at: $0) == dates[$0] })
        try collection.save(document: MutableDocument(id: "dates").setArray(array, forKey: "dates"))
        let stored = try #require(try collection.document(id: "dates")?.array(forKey: "dates"))
        for index in dates.indices {
            #expect(stored.date(at: index) == dates[index])
            #expect(stored.string(at: index) == array.string(at: index))
        }
        #expect(stored == array)
    }

    @Test("str_to_millis and date(forKey:) read a fraction below a millisecond alike")
    func fractions() throws {
        let texts = [
            "2018-10-23T18:33:01.9999Z", "2018-10-23T18:33:01.0005Z", "1969-12-31T23:59:59.99951Z", "2018-10-23T18:33:01.1234567891Z",
        ]
        for (index, text) in texts.enumerated() {
            try collection.save(document: MutableDocument(id: "\(index)").setString(text, forKey: "t"))
        }
        let query = try collection.database.createQuery("SELECT t, str_to_millis(t) AS n FROM _ ORDER BY meta().id")
        for row in try query.execute() {
            let date = try #require(row.date(forKey: "t"))
            #expect(Int64((date.timeIntervalSince1970 * 1000).rounded()) == row.int64(forKey: "n"))
        }
    }

    @Test("a parameter that was set to a date is returned as the date, and is bound as the text of documents")
    func parameters() throws {
        let date = Date(timeIntervalSince1970: 1_540_319_581.1239)
        for parameters in [Parameters().setDate(date, forName: "d"), Parameters().setValue(date, forName: "d"), Parameters(["d": date])] {
            #expect(parameters.value(forName: "d") as? Date == date)
            let query = try collection.database.createQuery("SELECT $d AS d FROM _")
            query.parameters = parameters
            #expect(query.parameters?.value(forName: "d") as? Date == date)
        }
        let query = try collection.database.createQuery("SELECT $d AS d FROM _ LIMIT 1")
        try collection.save(document: MutableDocument(id: "x"))
        query.parameters = Parameters().setDate(date, forName: "d")
        #expect(try query.execute().next()?.string(at: 0) == "2018-10-23T18:33:01.124Z")
        query.parameters = Parameters().setDate(Date(timeIntervalSince1970: Self.unstorable[0]), forName: "d")
        let error = #expect(throws: NSError.self) { try query.execute() }
        #expect(error?.localizedDescription.contains("\"d\"") == true, "\(error as Any)")
    }
}
