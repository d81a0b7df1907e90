import CouchbaseLiteSwift
import Testing

@Suite("The guide to conflicts")
struct ConflictsGuideTests {
    @Test("the examples of the guide to conflicts refuse, retry and merge a save")
    func works() throws {
        let test = try TestDatabase()
        let accounts = try test.database.createCollection(name: "accounts")
        let mine = MutableDocument(id: "account-1").setInt(10, forKey: "balance")
        try accounts.save(document: mine)
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        func deposit(_ amount: Int) throws {
            while let account = try accounts.document(id: "account-1")?.toMutable() {
                account.setInt(account.int(forKey: "balance") + amount, forKey: "balance")
                if try accounts.save(
                    document: account,
                    concurrencyControl: .failOnConflict
                ) {
                    return
                }
            }
        }
        try deposit(5)

        let saved = try accounts.save(document: mine, concurrencyControl: .failOnConflict)
        if !saved {
            let current = try accounts.document(id: mine.id)
            print("somebody was faster:", current?.int(forKey: "balance") ?? "deleted")
        }
        #expect(printed == ["somebody was faster: 15"])

        let merged = try accounts.save(document: mine) { mine, stored in
            guard let stored else { return false }
            mine.setInt(
                max(mine.int(forKey: "balance"), stored.int(forKey: "balance")),
                forKey: "balance"
            )
            return true
        }
        #expect(merged)
        #expect(try accounts.document(id: "account-1")?.int(forKey: "balance") == 15)
    }

    #if Replication
    @Test("the examples of the guide to conflicts resolve conflicts of two devices")
    func devices() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder, collection: "accounts")
        let accounts = try folder.open("client").createCollection(name: "accounts")
        let config = ReplicatorConfiguration(target: URLEndpoint(url: server.url))
        func replicate(_ config: ReplicatorConfiguration) async {
            let replicator = Replicator(config: config)
            replicator.start()
            await replicator.waitUntilDone()
        }
        func change(_ collection: CouchbaseLiteSwift.Collection, to balance: Int) throws {
            let account = try #require(try collection.document(id: "account-1")).toMutable()
            try collection.save(document: account.setInt(balance, forKey: "balance"))
        }
        try accounts.save(document: MutableDocument(id: "account-1").setInt(10, forKey: "balance"))
        config.addCollection(accounts)
        await replicate(config)

        struct AddUp: ConflictResolverProtocol {
            func resolve(conflict: Conflict) -> Document? {
                guard let local = conflict.localDocument,
                    let remote = conflict.remoteDocument
                else { return nil }
                let base = conflict.baseDocument?.int(forKey: "balance") ?? 0
                let balance =
                    local.int(forKey: "balance") + remote.int(forKey: "balance") - base
                return remote.toMutable().setInt(balance, forKey: "balance")
            }
        }

        var configuration = CollectionConfiguration()
        configuration.conflictResolver = AddUp()
        config.addCollection(accounts, config: configuration)

        try change(accounts, to: 15)
        try change(server.collection, to: 17)
        await replicate(config)
        await replicate(config)
        #expect(try accounts.document(id: "account-1")?.int(forKey: "balance") == 22)
        #expect(try server.collection.document(id: "account-1")?.int(forKey: "balance") == 22)

        for id in try accounts.conflictedDocumentIDs() {
            try accounts.resolveConflict(id: id) { conflict in conflict.remoteDocument }
        }
    }
    #endif
}
