import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// The second version of a model reads what the first one has stored.
@Suite("Models that change")
struct ModelEvolutionTests {
    enum Priority: String, Codable {
        case low, normal, high
    }

    enum Mark: String, Codable, DefaultProviding {
        case star, flag, unknown

        static var defaultValue: Mark { .unknown }
    }

    struct Place: Codable, Equatable, DefaultProviding {
        var town: String
        var floor = 0

        static var defaultValue: Place { Place(town: "nowhere") }
    }

    struct Reminder: Codable, Equatable {
        var hour: Int
        var isLoud = true
    }

    struct Note: Codable, DefaultProviding, FormerKeyProviding {
        @DocumentID var id: String?
        var title: String
        var isDone = false
        var rank = 5
        var color: String? = "red"
        var due: Date?
        var priority = Priority.normal
        var marks: [Mark] = []
        var tags = ["new"]
        var scores: [String: Int] = [:]
        var place = Place(town: "here", floor: 1)
        var places: [Place] = []
        var reminder = Reminder(hour: 8)
        var former: Place?

        static var defaultValue: Note { Note(title: "Untitled") }
        static let formerKeys = ["title": ["heading", "name"]]
    }

    let test: TestDatabase
    let collection: Collection
    let notes: ModelCollection<Note>

    init() throws {
        test = try TestDatabase()
        collection = try test.database.createCollection(name: "notes")
        notes = collection.models()
    }

    private func store(_ id: String, _ json: String) throws { try collection.save(document: MutableDocument(id: id, json: json)) }

    private func note(_ json: String) throws -> Note {
        try store("note", json)
        return try #require(try notes.get("note"))
    }

    private func found(_ predicate: Predicate<Note>) throws -> [String] {
        try notes.query(where: predicate).all().compactMap(\.id).sorted()
    }

    // MARK: Decoding

    @Test(
        "a property that a document lacks, or has as null, has its default",
        arguments: ["{}", #"{"title":null,"isDone":null,"rank":null}"#]
    )
    func defaults(json: String) throws {
        let note = try note(json)
        #expect(note.id == "note")
        #expect(note.title == "Untitled" && !note.isDone && note.rank == 5 && note.color == "red" && note.due == nil)
        #expect(note.priority == .normal && note.marks == [] && note.tags == ["new"] && note.scores == [:])
        #expect(note.place == Place(town: "here", floor: 1) && note.places == [] && note.reminder == Reminder(hour: 8))
    }

    @Test("an optional that is stored as null is nil, whatever its default")
    func null() throws {
        #expect(try note(#"{"color":null}"#).color == nil)
        var note = try note("{}")
        note.color = nil
        try notes.save(&note)
        #expect(try notes.get("note")?.color == nil)
    }

    @Test("a property of a nested structure has the default of the structure's type, or else that of the property around it")
    func nested() throws {
        let note = try note(#"{"place":{"town":"A"},"places":[{"floor":3},{}],"reminder":{"hour":7},"tags":[]}"#)
        #expect(note.place == Place(town: "A", floor: 0))
        #expect(note.places == [Place(town: "nowhere", floor: 3), Place(town: "nowhere", floor: 0)])
        #expect(note.reminder == Reminder(hour: 7, isLoud: true))
        #expect(note.tags == [])
    }

    @Test("a value that is no case of an enumeration is the default of the property, or of the type where it is an element")
    func unknownCases() throws {
        let note = try note(#"{"priority":"urgent","marks":["star","bell"]}"#)
        #expect(note.priority == .normal)
        #expect(note.marks == [.star, .unknown])
    }

    @Test(
        "a value of another type than the property is an error, not its default",
        arguments: [#"{"rank":"high"}"#, #"{"place":5}"#, #"{"priority":1}"#]
    )
    func wrongTypes(json: String) throws {
        #expect(throws: (any Error).self) { try note(json) }
    }

    @Test("former keys are read, the present one and newer ones first, and a save stores only the present key")
    func formerKeys() throws {
        #expect(try note(#"{"name":"n"}"#).title == "n")
        #expect(try note(#"{"name":"n","heading":"h"}"#).title == "h")
        var note = try note(#"{"name":"n","heading":"h","title":"t","other":1}"#)
        #expect(note.title == "t")
        note.title = "u"
        try notes.save(&note)
        let stored = try #require(try collection.document(id: "note"))
        #expect(stored.string(forKey: "title") == "u")
        #expect(stored.value(forKey: "name") == nil && stored.value(forKey: "heading") == nil)
        #expect(stored.int(forKey: "other") == 1)
    }

    @Test("former keys of a nested type, and of elements, are read, and predicates find them")
    func nestedFormerKeys() throws {
        struct Stop: Codable, Equatable, FormerKeyProviding {
            var town: String

            static let formerKeys = ["town": ["city"]]
        }
        struct Trip: Codable {
            @DocumentID var id: String?
            var from: Stop
            var stops: [Stop]
        }
        try store("trip", #"{"from":{"city":"A"},"stops":[{"city":"B"},{"town":"C"}]}"#)
        let trips = collection.models(Trip.self)
        var trip = try #require(try trips.get("trip"))
        #expect(trip.from.town == "A" && trip.stops.map(\.town) == ["B", "C"])
        #expect(try trips.query(where: #Predicate { $0.from.town == "A" }).count() == 1)
        #expect(try trips.query(where: #Predicate { $0.stops.contains { $0.town == "B" } }).count() == 1)
        try trips.save(&trip)
        #expect(try collection.document(id: "trip")?.toJSON() == #"{"from":{"town":"A"},"stops":[{"town":"B"},{"town":"C"}]}"#)
    }

    @Test("a constant property that a document lacks has the type's default, and a stored one is read")
    func constants() throws {
        struct Entry: Codable, DefaultProviding {
            @DocumentID var id: String?
            let text: String
            let size: Int

            static var defaultValue: Entry { Entry(text: "empty", size: 7) }
        }
        try store("entry", #"{"text":"a"}"#)
        let entry = try #require(try collection.models(Entry.self).get("entry"))
        #expect(entry.text == "a" && entry.size == 7)
    }

    @Test("a type without defaults still needs all properties")
    func withoutDefaults() throws {
        struct Plain: Codable {
            var title: String
            var isDone = false
        }
        try store("plain", #"{"title":"a"}"#)
        #expect(throws: (any Error).self) { try collection.models(Plain.self).get("plain") }
    }

    @Test("classes and rows of queries have defaults")
    func classesAndRows() throws {
        final class Task: Codable, DefaultProviding {
            @DocumentID var id: String?
            var name = "task"
            var size = 3

            static var defaultValue: Task { Task() }
        }
        try store("task", #"{"name":"a"}"#)
        #expect(try collection.models(Task.self).get("task")?.size == 3)
        let rows = try test.database.createQuery("SELECT meta().id, name, size FROM notes").execute()
        #expect(try rows.data(as: Task.self).map(\.size) == [3])
    }

    // MARK: Predicates

    @Test("predicates and sort descriptors see the same values as decoding, with and without indexes", .timeLimit(.minutes(5)))
    func predicates() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        for number in 0..<60 {
            var members: [String] = []
            func add(_ key: String, _ values: [String]) {
                if let value = values.randomElement(using: &generator), Bool.random(using: &generator) {
                    members.append("\"\(key)\":\(value)")
                }
            }
            add("title", ["\"a\"", "\"Untitled\"", "null"])
            add("heading", ["\"a\"", "\"b\""])
            add("name", ["\"b\"", "\"Untitled\""])
            add("isDone", ["true", "false", "null"])
            add("rank", ["1", "5", "9", "null"])
            add("color", ["\"red\"", "\"blue\"", "null"])
            add("priority", ["\"low\"", "\"normal\""])
            add("tags", ["[]", "[\"new\"]", "[\"a\",\"b\"]", "null"])
            add("scores", ["{}", "{\"x\":1}"])
            add("place", ["{}", "{\"town\":\"here\"}", "{\"floor\":1}", "{\"floor\":0,\"town\":\"nowhere\"}"])
            add("places", ["[{}]", "[{\"floor\":2}]", "[{\"town\":\"A\"},{\"floor\":3}]", "null"])
            add("former", ["{}", "{\"town\":\"A\"}", "{\"floor\":2}", "null"])
            add("reminder", ["{\"hour\":8}", "{\"hour\":9,\"isLoud\":false}"])
            try store("n\(number)", "{\(members.joined(separator: ","))}")
        }
        let all = try notes.query().all()
        try #require(all.count == 60)
        let (title, five, colors) = ("Untitled", 5, ["red", "green"])
        let predicates: [(String, Predicate<Note>)] = [
            ("isDone", #Predicate { $0.isDone }), ("!isDone", #Predicate { !$0.isDone }),
            ("isDone == false", #Predicate { $0.isDone == false }),
            ("rank == 5", #Predicate { $0.rank == five }), ("rank != 5", #Predicate { $0.rank != five }),
            ("rank > 4", #Predicate { $0.rank > 4 }),
            ("rank > 5", #Predicate { $0.rank > 5 }), ("rank <= 5", #Predicate { $0.rank <= 5 }),
            ("!(rank < 5)", #Predicate { !($0.rank < 5) }),
            ("rank in 2...6", #Predicate { (2...6).contains($0.rank) }), ("rank + 1 == 6", #Predicate { $0.rank + 1 == 6 }),
            ("title == Untitled", #Predicate { $0.title == title }), ("title != a", #Predicate { $0.title != "a" }),
            ("title == a", #Predicate { $0.title == "a" }), ("title > b", #Predicate { $0.title > "b" }),
            ("color == nil", #Predicate { $0.color == nil }), ("color == red", #Predicate { $0.color == "red" }),
            ("color != red", #Predicate { $0.color != "red" }), ("colors", #Predicate { colors.contains($0.color ?? "x") }),
            ("tags.count", #Predicate { $0.tags.count == 1 }), ("tags.isEmpty", #Predicate { $0.tags.isEmpty }),
            ("tags contains", #Predicate { $0.tags.contains("new") }), ("scores.count", #Predicate { $0.scores.count == 0 }),
            ("town == here", #Predicate { $0.place.town == "here" }), ("floor == 0", #Predicate { $0.place.floor == 0 }),
            ("floor > 0", #Predicate { $0.place.floor > 0 }), ("isLoud", #Predicate { $0.reminder.isLoud }),
            ("hour == 8", #Predicate { $0.reminder.hour == 8 }),
            ("both", #Predicate { $0.rank == 5 && $0.title == "Untitled" && !$0.isDone }),
            ("former?.town", #Predicate { $0.former?.town == "nowhere" }), ("former?.floor", #Predicate { ($0.former?.floor ?? 9) == 0 }),
            ("former == nil", #Predicate { $0.former == nil }), ("former!", #Predicate { $0.former != nil && $0.former!.floor == 0 }),
            ("places.floor", #Predicate { $0.places.contains { $0.floor == 0 } }),
            ("places.town", #Predicate { $0.places.allSatisfy { $0.town == "nowhere" } }),
            ("either", #Predicate { $0.rank > 5 || $0.title == "a" }),
        ]
        func check() throws {
            for (name, predicate) in predicates {
                let expected = try all.filter { try predicate.evaluate($0) }.compactMap(\.id).sorted()
                #expect(try found(predicate) == expected, "\(name)")
                #expect(try notes.query(where: predicate).count() == expected.count, "\(name)")
            }
            let sorted = try notes.query(orderBy: [SortDescriptor(\.rank), SortDescriptor(\.title, comparator: .lexical)]).all()
            let expected = all.sorted { ($0.rank, $0.title) < ($1.rank, $1.title) }
            #expect(sorted.map { "\($0.rank) \($0.title)" } == expected.map { "\($0.rank) \($0.title)" })
        }
        try check()
        for key in ["isDone", "rank", "title", "color", "place.town"] {
            try collection.createIndex(withName: key.replacing(".", with: "_"), config: ValueIndexConfiguration([key]))
        }
        try check()
    }

    @Test("a property of an optional that is nil is not found by its default")
    func unwrappedNil() throws {
        try store("null", #"{"former":null}"#)
        try store("missing", "{}")
        try store("there", #"{"former":{}}"#)
        #expect(try found(#Predicate { $0.former!.town == "nowhere" }) == ["there"])
        #expect(try found(#Predicate { $0.former!.floor >= 0 }) == ["there"])
    }

    @Test("a comparison whose result for the default is false uses an index on the property")
    func indexes() throws {
        try collection.createIndex(withName: "byRank", config: ValueIndexConfiguration(["rank"]))
        let query = notes.query(where: #Predicate { $0.rank > 7 })
        #expect(try query.explain().contains("byRank"))
    }
}
