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

    @Test("the examples of the guide to conflicts count with a counter, and with a document for each change")
    func counting() throws {
        let test = try TestDatabase()
        let shop = try test.database.createCollection(name: "shop")
        let ledger = try test.database.createCollection(name: "bookings")
        var printed: [String] = []
        func print(_ items: Any...) { printed.append(items.map { "\($0)" }.joined(separator: " ")) }

        struct Article: Codable {
            @DocumentID var id: String?
            var name: String
            @Counter var stock: Int
        }

        let articles = shop.models(Article.self)
        var article = Article(name: "screw", stock: 10)
        try articles.save(&article)
        article.stock -= 1
        try articles.save(&article)

        let id = try #require(article.id)
        let stored = try #require(try shop.document(id: id))
        #expect(stored.int(forKey: "stock") == 9)
        #expect(stored.dictionary(forKey: "stock_counter")?.int(forKey: "start") == 10)

        struct Booking: Codable {
            @DocumentID var id: String?
            var account: String
            var amount: Int
        }

        let bookings = ledger.models(Booking.self)
        try bookings.save(Booking(account: "account-1", amount: 20))
        try bookings.save(Booking(account: "account-1", amount: -5))
        let sums = try ledger.database.createQuery(
            """
            SELECT account, SUM(amount) AS balance FROM bookings
            GROUP BY account
            """
        )
        for row in try sums.execute() {
            print(row.string(forKey: "account") ?? "", row.int(forKey: "balance"))
        }
        #expect(printed == ["account-1 15"])
    }

    #if Replication
    @Test("the examples of the guide to conflicts resolve conflicts of two devices")
    func devices() async throws {
        let folder = try DatabaseFolder()
        let server = try ServedDatabase(folder, collection: "accounts")
        let accounts = try folder.open("client").createCollection(name: "accounts")
        let url = server.url
        /// Saves a document on both sides, after both had the one before.
        func conflict(_ config: ReplicatorConfiguration, _ before: String, _ mine: String, _ theirs: String) async throws {
            try accounts.save(document: MutableDocument(id: "account-1", json: before))
            try await Replicator(config: config).run()
            try accounts.save(document: MutableDocument(id: "account-1", json: mine))
            try server.collection.save(document: MutableDocument(id: "account-1", json: theirs))
            #expect(try await Replicator(config: config).run().conflicts.count == 1)
        }
        func stored() throws -> [String?] { try [accounts, server.collection].map { try $0.document(id: "account-1")?.toJSON() } }

        var configuration = CollectionConfiguration(collection: accounts)
        configuration.conflictResolver = ConflictResolver.fieldByField
        let config = ReplicatorConfiguration(
            collections: [configuration],
            target: URLEndpoint(url: url)
        )

        try await conflict(config, #"{"owner":"A","tags":[]}"#, #"{"owner":"B","tags":[]}"#, #"{"owner":"A","tags":["x"]}"#)
        #expect(try stored() == [String?](repeating: #"{"owner":"B","tags":["x"]}"#, count: 2))

        struct Account: Codable {
            var owner: String
            var tags: [String]
        }

        let byHand = ConflictResolver.merging(Account.self) { base, mine, theirs in
            var merged = theirs
            merged.owner = theirs.owner == base?.owner ? mine.owner : theirs.owner
            merged.tags += mine.tags.filter { !theirs.tags.contains($0) }
            merged.tags.sort()
            return merged
        }
        configuration.conflictResolver = byHand
        let merging = ReplicatorConfiguration(collections: [configuration], target: config.target)
        try await conflict(merging, #"{"owner":"A","tags":["x"]}"#, #"{"owner":"B","tags":["z"]}"#, #"{"owner":"A","tags":["y"]}"#)
        #expect(try stored() == [String?](repeating: #"{"owner":"B","tags":["y","z"]}"#, count: 2))

        struct KeepDraft: ConflictResolverProtocol {
            func resolve(conflict: Conflict) -> Document? {
                guard let local = conflict.localDocument,
                    let remote = conflict.remoteDocument
                else { return nil }
                if local.boolean(forKey: "draft") { return local }
                return remote.toMutable().setValue(local.value(forKey: "mood"), forKey: "mood")
            }
        }
        configuration.conflictResolver = KeepDraft()
        let keeping = ReplicatorConfiguration(collections: [configuration], target: config.target)
        try await conflict(keeping, #"{"mood":1}"#, #"{"mood":2}"#, #"{"mood":3,"x":1}"#)
        #expect(try stored() == [String?](repeating: #"{"mood":2,"x":1}"#, count: 2))

        for id in try accounts.conflictedDocumentIDs() {
            try accounts.resolveConflict(id: id) { conflict in conflict.remoteDocument }
        }
    }
    #endif
}
