import CouchbaseLiteSwift

// declarations
#if Replication
// block: 4
#endif

// program
let accounts = try DatabaseFolder().open("accounts").createCollection(name: "accounts")
let mine = MutableDocument(id: "account-1").setInt(10, forKey: "balance")
try accounts.save(document: mine)
// block: 2
try deposit(5)
// block: 1
try await expectPrinted("somebody was faster: 15")
// block: 3
check(merged)

// program that needs Replication
let folder = try DatabaseFolder()
let server = try ServedDatabase(folder, collection: "accounts")
let accounts = try folder.open("client").createCollection(name: "accounts")
let config = ReplicatorConfiguration(target: URLEndpoint(url: server.url))
try accounts.save(document: MutableDocument(id: "account-1").setInt(10, forKey: "balance"))
config.addCollection(accounts)
let first = Replicator(config: config)
first.start()
await first.waitUntilDone()
// block: 5
try accounts.save(document: MutableDocument(id: "account-1").setInt(15, forKey: "balance"))
try server.collection.save(document: MutableDocument(id: "account-1").setInt(17, forKey: "balance"))
let second = Replicator(config: config)
second.start()
await second.waitUntilDone()
check(try accounts.document(id: "account-1")?.int(forKey: "balance") == 22)
// block: 6
