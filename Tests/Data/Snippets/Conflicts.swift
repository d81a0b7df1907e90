import CouchbaseLiteSwift

// declarations
// block: 5
// block: 9
// block: 11
#if Replication
// block: 7
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
let url = server.url
// block: 4
// block: 6
let merging = ReplicatorConfiguration(collections: [configuration], target: config.target)
try accounts.save(document: MutableDocument(id: "a", json: #"{"owner":"A","tags":[]}"#))
try await Replicator(config: merging).run()
try accounts.save(document: MutableDocument(id: "a", json: #"{"owner":"B","tags":["x"]}"#))
try server.collection.save(document: MutableDocument(id: "a", json: #"{"owner":"A","tags":["y"]}"#))
try await Replicator(config: merging).run()
check(try server.collection.document(id: "a")?.array(forKey: "tags")?.count == 2)
check(KeepDraft() is any ConflictResolverProtocol)
// block: 8

// program
let shop = try DatabaseFolder().open("shop").defaultCollection()
// block: 10
check(article.stock == 9)

// program
let ledger = try DatabaseFolder().open("bank").createCollection(name: "bookings")
// block: 12
try await expectPrinted("account-1 15")
