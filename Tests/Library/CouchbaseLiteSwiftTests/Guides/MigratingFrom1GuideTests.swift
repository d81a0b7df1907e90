import CouchbaseLiteSwift
import TestSupport
import TestTraits
import Testing

@Suite("The guide to migrating from 1.x")
struct MigratingFrom1GuideTests {
    @Test("the example of the guide to migrating from 1.x reads an attachment")
    func works() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.copy(RealDatabase.url("v1/ios-1.2"))
        let config = DatabaseConfiguration()
        config.directory = directory.url.path
        let database = try Database(name: "ios-1.2", config: config)
        let document = try #require(try database.defaultCollection().document(id: "doc1"))

        let attachments = document.dictionary(forKey: "_attachments")
        let content = attachments?.blob(forKey: "attach1")?.content

        #expect(content?.count == 7)
    }
}
