import CouchbaseLiteSwift
import Foundation
import Testing

@Suite("The guide for those who come from Realm")
struct ComingFromRealmGuideTests {
    struct Dog: Codable, Identifiable {
        @DocumentID var id: String?
        var name = ""
        var age = 0
    }

    @Test("the examples of the guide save, observe, change, delete and move dogs")
    func works() throws {
        let config = try DatabaseFolder().config

        let database = try Database(name: "pets", config: config)
        let dogs = try database.createCollection(name: "dogs").models(Dog.self)
        var rex = try dogs.save(Dog(name: "Rex", age: 1))

        let puppies = dogs.query(
            where: #Predicate { $0.age < 2 },
            orderBy: [SortDescriptor(\.name)]
        )
        let token = Task {
            for try await current in puppies.live() { print(current.count) }
        }

        rex.age += 1
        try dogs.save(&rex)
        try dogs.delete(rex)
        #expect(try dogs.query().count() == 0)
        token.cancel()

        let old = [("65a1f0c2", "Max", 9)]  // realm.objects(OldDog.self).map { … }
        try database.batch {
            for (id, name, age) in old {
                try dogs.save(Dog(id: id, name: name, age: age))
            }
        }
        #expect(try dogs.get("65a1f0c2")?.age == 9)
    }
}
