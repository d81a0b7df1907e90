import CouchbaseLiteSwift
import TestSupport
import Testing

/// A class whose subclasses inherit the ID of their documents.
class Stored: Codable {
    @DocumentID var id: String?
    var note = ""

    init() {}
}

/// A subclass that stores its properties beside those of its superclass.
class Vehicle: Stored {
    var wheels: Int

    init(wheels: Int) {
        self.wheels = wheels
        super.init()
    }

    enum Keys: String, CodingKey { case wheels }

    required init(from decoder: any Decoder) throws {
        wheels = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .wheels)
        try super.init(from: decoder)
    }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(wheels, forKey: .wheels)
    }
}

/// A subclass of a subclass.
final class Truck: Vehicle, Identifiable {
    var load = 0
}

/// A subclass that stores the properties of its superclass under a key.
final class Boat: Stored {
    var sails: Int

    init(sails: Int) {
        self.sails = sails
        super.init()
    }

    enum Keys: String, CodingKey { case sails, hull }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        sails = try container.decode(Int.self, forKey: .sails)
        try super.init(from: sails > 2 ? container.superDecoder(forKey: .hull) : container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(sails, forKey: .sails)
        try super.encode(to: sails > 2 ? container.superEncoder(forKey: .hull) : container.superEncoder())
    }
}

@Suite("IDs that models inherit")
struct InheritedIDTests {
    let test: TestDatabase
    let collection: Collection

    init() throws {
        test = try TestDatabase()
        collection = try test.database.defaultCollection()
    }

    @Test("an object with an inherited ID is saved, read, changed, found and deleted")
    func objects() throws {
        let truck = Truck(wheels: 6)
        truck.note = "red"
        try collection.save(from: truck)
        let id = try #require(truck.id)
        #expect(try canonical(try #require(try collection.document(id: id)).toDictionary()) == #"{"note":"red","wheels":6}"#)
        let read = try #require(try collection.document(id: id, as: Truck.self))
        #expect(read.id == id && read.wheels == 6 && read.note == "red")
        read.wheels = 8
        #expect(try collection.save(from: read, concurrencyControl: .failOnConflict))
        truck.wheels = 10
        #expect(try collection.save(from: truck, concurrencyControl: .failOnConflict) == false)
        try collection.delete(for: read)
        #expect(collection.count == 0)
    }

    @Test("models, batches, queries and updates know an inherited ID")
    func models() throws {
        let trucks = collection.models(Truck.self)
        var truck = Truck(wheels: 4)
        truck.id = "a"
        try trucks.save(&truck)
        try test.database.inBatch { try trucks.save(Truck(wheels: 6)) }
        #expect(truck.id == "a")
        #expect(try trucks.get("a")?.wheels == 4)
        #expect(try trucks.query(where: #Predicate { $0.id == "a" }).all().map(\.id) == ["a"])
        #expect(try trucks.query(where: #Predicate { $0.wheels > 3 }, orderBy: [SortDescriptor(\.wheels)]).all().map(\.wheels) == [4, 6])
        #expect(try trucks.query().update { $0.wheels += 1 } == 2)
        #expect(try trucks.get("a")?.wheels == 5)
        #expect(try trucks.save(Truck(wheels: 1), concurrencyControl: .failOnConflict) != nil)
        try trucks.delete(try #require(try trucks.get("a")))
        #expect(collection.count == 2)
    }

    @Test("an inherited ID is not stored among the properties of a superclass that has a key of its own", arguments: [1, 3])
    func nested(sails: Int) throws {
        let boats = collection.models(Boat.self)
        let boat = Boat(sails: sails)
        boat.note = "x"
        try collection.save(from: boat)
        let id = try #require(boat.id)
        let key = sails > 2 ? "hull" : "super"
        #expect(try canonical(try #require(try collection.document(id: id)).toDictionary()).contains(#""\#(key)":{"note":"x"}"#))
        let read = try #require(try boats.get(id))
        #expect(read.id == id && read.note == "x" && read.sails == sails)
        try boats.save(read)
        #expect(try boats.query(where: #Predicate { $0.id == id }).all().map(\.sails) == [sails])
        #expect(collection.count == 1)
    }
}
