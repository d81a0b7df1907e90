import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("The guide to encryption")
struct EncryptionGuideTests {
    @Test("the examples of the guide to encryption open a database with a key, change the key and remove it")
    func works() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.url
        let bytesFromTheKeyStore = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })

        let config = DatabaseConfiguration()
        config.directory = folder.path
        config.encryptionKey = .password("correct horse battery staple")
        let database = try Database(name: "diary", config: config)
        try database.saveDocument(MutableDocument(id: "page").setString("secret", forKey: "text"))

        let key = EncryptionKey.key(bytesFromTheKeyStore)
        try database.changeEncryptionKey(key)

        try database.changeEncryptionKey(.password("a better one"))
        try database.changeEncryptionKey(nil)

        try database.close()
        #expect(throws: NSError.self) { try Database(name: "diary", config: config) }
        config.encryptionKey = nil
        #expect(try Database(name: "diary", config: config).document(withID: "page")?["text"].string == "secret")
    }
}
