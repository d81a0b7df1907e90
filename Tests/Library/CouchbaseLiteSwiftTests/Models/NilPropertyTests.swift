import CouchbaseLiteSwift
import Foundation
import Testing

/// Documents that have null for a property that is nil, and those of earlier versions, which do not have the property.
@Suite("Properties that are nil in queries")
struct NilPropertyTests {
    struct Errand: Codable {
        @DocumentID var id: String?
        var title: String?
        var rank: Int?
        var place: Place?
        var places: [Place] = []

        struct Place: Codable, Equatable {
            var town: String
            var room: Int?
        }
    }

    let test: TestDatabase
    let collection: Collection
    let tasks: ModelCollection<Errand>

    init() throws {
        test = try TestDatabase()
        collection = try test.database.createCollection(name: "tasks")
        tasks = collection.models()
        let place = Errand.Place(town: "A", room: nil)
        try tasks.save(Errand(id: "null"))
        try collection.save(document: MutableDocument(id: "missing", data: ["places": [Any]()]))
        try tasks.save(Errand(id: "b", title: "b", rank: 2, place: place, places: [place]))
        let older: [String: Any] = ["title": "a", "rank": 1, "place": ["town": "A"], "places": [["town": "A"]]]
        try collection.save(document: MutableDocument(id: "a", data: older))
        try tasks.save(Errand(id: "c", title: "c", rank: 3, place: Errand.Place(town: "C", room: 3)))
    }

    private func found(_ predicate: Predicate<Errand>) throws -> [String] {
        try tasks.query(where: predicate).all().compactMap(\.id).sorted()
    }

    private func sorted(_ descriptors: [SortDescriptor<Errand>]) throws -> [Errand] { try collection.documents(orderBy: descriptors) }

    /// Runs `check` without an index, and with an index on each property.
    private func withAndWithoutIndexes(_ check: () throws -> Void) throws {
        try check()
        try collection.createIndex(withName: "byRank", config: ValueIndexConfiguration(["rank"]))
        try collection.createIndex(withName: "byTitle", config: ValueIndexConfiguration(["title"]))
        try check()
        try collection.createIndex(withName: "inOrder", config: ValueIndexConfiguration(["ifnull(rank, MISSING)"]))
        try check()
    }

    @Test("predicates find null and missing properties alike, with and without indexes")
    func predicates() throws {
        let (title, titles) = ("b", ["a", "b"])
        try withAndWithoutIndexes { () throws in
            #expect(try found(#Predicate { $0.rank == nil }) == ["missing", "null"])
            #expect(try found(#Predicate { $0.rank != nil }) == ["a", "b", "c"])
            #expect(try found(#Predicate { $0.title != title }) == ["a", "c", "missing", "null"])
            #expect(try found(#Predicate { ($0.rank ?? 2) == 2 }) == ["b", "missing", "null"])
            #expect(try found(#Predicate { $0.place?.room == nil }) == ["a", "b", "missing", "null"])
            #expect(try tasks.query(where: #Predicate { $0.title == nil }).count() == 2)
            #expect(try tasks.query(where: #Predicate { $0.rank != nil && $0.rank! > 1 }).count() == 2)
            // Values that are unwrapped without a test.
            #expect(try found(#Predicate { $0.rank! > 1 }) == ["b", "c"])
            #expect(try found(#Predicate { $0.rank! >= 0 && $0.title! >= "" }) == ["a", "b", "c"])
            #expect(try found(#Predicate { !($0.rank! > 1) }) == ["a"])
            #expect(try found(#Predicate { !($0.rank! < 2) }) == ["b", "c"])
            #expect(try found(#Predicate { $0.rank! != 1 }) == ["b", "c"])
            #expect(try found(#Predicate { !titles.contains($0.title!) }) == ["c"])
            #expect(try found(#Predicate { $0.rank! > 2 || $0.title! > "b" }) == ["c"])
            #expect(try found(#Predicate { $0.title!.count < 9 }) == ["a", "b", "c"])
            #expect(try found(#Predicate { $0.place!.town == "A" }) == ["a", "b"])
        }
    }

    @Test("a captured structure equals one with the same properties, whichever of them are null, missing or unknown to the type")
    func structures() throws {
        let other: [String: Any] = ["room": NSNull(), "town": "A", "size": 1]
        try collection.save(document: MutableDocument(id: "d", data: ["place": other, "places": [["town": "A", "room": 1]]]))
        let place = Errand.Place(town: "A", room: nil)
        let places = [place, Errand.Place(town: "B", room: 1)]
        let optional: Errand.Place? = place
        #expect(try found(#Predicate { $0.place == place }) == ["a", "b", "d"])
        #expect(try found(#Predicate { $0.place == optional }) == ["a", "b", "d"])
        #expect(try found(#Predicate { place == $0.place }) == ["a", "b", "d"])
        #expect(try found(#Predicate { $0.place != place }) == ["c", "missing", "null"])
        #expect(try found(#Predicate { $0.places.contains(place) }) == ["a", "b"])
        #expect(try found(#Predicate { if let place = $0.place { places.contains(place) } else { false } }) == ["a", "b", "d"])
        let none: [Errand.Place] = [], one = [place], full = Errand.Place(town: "C", room: 3)
        #expect(try found(#Predicate { $0.places == none }) == ["c", "missing", "null"])
        #expect(try found(#Predicate { $0.places == one }) == ["a", "b"])
        #expect(try found(#Predicate { $0.place == full }) == ["c"])
    }

    @Test("structures in structures, enumerations, dictionaries and blobs equal captured ones")
    func nested() throws {
        struct Outer: Codable {
            @DocumentID var id: String?
            var inner: Inner?
            var kind: Kind?
            var counts: [String: Int] = [:]
            var maps: [[String: Int]] = []
        }
        struct Inner: Codable, Equatable {
            var empty: Empty?
            var places: [Errand.Place?]
            var names: [String: String?]
        }
        struct Empty: Codable, Equatable { var note: String? }
        enum Kind: Codable, Equatable { case plain, sized(Int, unit: String?) }
        let places = [nil, Errand.Place(town: "A", room: 1)]
        let inner = Inner(empty: Empty(), places: places, names: ["x": "1", "a": nil])
        let values = collection.models(Outer.self)
        try values.save(Outer(id: "full", inner: inner, kind: .sized(1, unit: nil), counts: ["y": 1, "b": 2], maps: [["q": 1]]))
        try values.save(Outer(id: "more", inner: inner, kind: .sized(1, unit: "m"), counts: ["y": 1, "b": 2, "c": 3], maps: [["q": 2]]))
        try values.save(Outer(id: "less", inner: Inner(places: places, names: ["x": "1"]), kind: .plain, counts: ["b": 2]))
        func found(_ predicate: Predicate<Outer>) throws -> [String] { try values.query(where: predicate).all().compactMap(\.id).sorted() }
        let (plain, sized, counts, map, empty) = (Kind.plain, Kind.sized(1, unit: nil), ["b": 2, "y": 1], ["q": 1], Empty())
        #expect(try found(#Predicate { $0.inner == inner }) == ["full", "more"])
        #expect(try found(#Predicate { $0.inner?.empty == empty }) == ["full", "more"])
        #expect(try found(#Predicate { $0.kind == plain }) == ["less"])
        #expect(try found(#Predicate { $0.kind == sized }) == ["full"])
        #expect(try found(#Predicate { $0.counts == counts }) == ["full"])
        #expect(try found(#Predicate { $0.counts != counts && $0.inner != nil }) == ["less", "more"])
        #expect(try found(#Predicate { $0.maps.contains(map) }) == ["full"])
    }

    @Test("properties that are nil come first in ascending and last in descending order, with and without indexes")
    func order() throws {
        try withAndWithoutIndexes { () throws in
            let up = try sorted([SortDescriptor(\.rank), SortDescriptor(\.id)]).map(\.id)
            #expect(up == ["missing", "null", "a", "b", "c"])
            let down = try sorted([SortDescriptor(\.rank, order: .reverse), SortDescriptor(\.id)]).map(\.id)
            #expect(down == ["c", "b", "a", "missing", "null"])
            for title in [SortDescriptor<Errand>(\.title), SortDescriptor(\.title, comparator: .lexical)] {
                // Null and missing are equal, so that the next descriptor decides.
                let found = try sorted([title, SortDescriptor(\.id, order: .reverse)]).map(\.id)
                #expect(found == ["null", "missing", "a", "b", "c"])
            }
            let inner = try sorted([SortDescriptor(\.place?.room), SortDescriptor(\.id)]).map(\.id)
            #expect(inner == ["a", "b", "missing", "null", "c"])
        }
    }

    @Test("unwrapped properties use the index on the property, and their order that on IFNULL(property, MISSING)")
    func plans() throws {
        try withAndWithoutIndexes {}
        #expect(try tasks.query(where: #Predicate { $0.rank != nil && $0.rank! > 1 }).explain().contains("byRank"))
        #expect(try tasks.query(where: #Predicate { $0.title! == "b" }).explain().contains("byTitle"))
        #expect(try tasks.query(orderBy: [SortDescriptor(\.rank)]).explain().contains("inOrder"))
    }

    @Test("an id that is nil is not stored, in a type without DocumentID")
    func identifier() throws {
        struct Entry: Codable, Identifiable {
            var id: String?
            var note: String?
        }
        try collection.models(Entry.self).save(Entry(id: "entry"))
        #expect(try collection.document(id: "entry")?.toDictionary().keys.sorted() == ["note"])
    }
}
