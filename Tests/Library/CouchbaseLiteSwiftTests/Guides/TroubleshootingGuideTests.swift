import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("The guide to troubleshooting")
struct TroubleshootingGuideTests {
    @Test("the example of the guide to troubleshooting prints the code, the message and the hint of an error")
    func works() throws {
        let database = try DatabaseFolder().open("travel")
        let printed = Recorder<String>()
        @Sendable func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        do {
            let airports = try database.createCollection(name: "air ports")
            try airports.purge(id: "LPB")
        } catch CBLError.notFound {
            print("nothing to purge")
        } catch {
            guard let error = DatabaseError(error) else { throw error }
            print(error.code, error.message, error.hint ?? "")
        }
        #expect(printed.all.count == 1)
        #expect(printed.all[0].hasPrefix("9 \"air ports\" is not a valid scope or collection name"))
        #expect(printed.all[0].hasSuffix("Correct the argument."))
    }
}
