import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("The example of the documentation's first page")
struct CouchbaseLiteSwiftGuideTests {
    @Test("the example of the first page returns the expected row")
    func works() throws {
        let folder = try DefaultFolder()
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }
        func Database(name: String) throws -> Database { try folder.database(name: name) }

        let database = try Database(name: "travel")
        let airports = try database.defaultCollection()

        let laPaz = MutableDocument(id: "airport_LPB")
            .setString("El Alto", forKey: "name")
            .setInt(13355, forKey: "altitude")
        try airports.save(document: laPaz)

        let query = try database.query("SELECT name FROM _ WHERE altitude > 10000")
        for row in try query.execute() {
            print(row.string(forKey: "name") ?? "?")
        }

        #expect(printed == ["El Alto"])
    }
}
