import CouchbaseLiteSwift
import Testing

@Suite("The guide to conflicts")
struct ConflictsGuideTests {
    @Test("refuses, retries and merges")
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
                if try accounts.save(document: account, concurrencyControl: .failOnConflict) { return }
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
            mine.setInt(max(mine.int(forKey: "balance"), stored.int(forKey: "balance")), forKey: "balance")
            return true
        }
        #expect(merged)
        #expect(try accounts.document(id: "account-1")?.int(forKey: "balance") == 15)
    }
}
