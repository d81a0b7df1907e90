import CouchbaseLiteSwift

// program
let folder = try DatabaseFolder().url
let bytesFromTheKeyStore = Data((0..<32).map { UInt8($0) })
// block: 1
try database.saveDocument(MutableDocument(id: "page").setString("secret", forKey: "text"))
// block: 2
try database.changeEncryptionKey(key)
// block: 3
try database.close()
config.encryptionKey = nil
check(try Database(name: "diary", config: config).document(withID: "page")?["text"].string == "secret")
