import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Check of databases with damaged pages")
struct DamagedPagesTests {
    @Test("a check goes on after a damaged page, names it, and counts every document whose pages are intact", arguments: [false, true])
    func everyPage(encrypted: Bool) throws {
        let seed = TestSeed.forThisTest()
        var generator = SeededGenerator(seed: seed)
        let options = DamagedDatabases.options(encrypted: encrypted)
        let (database, expected) = try DamagedDatabases.make(options)
        let path = database.path.sqliteFile
        let original = try Data(contentsOf: URL(fileURLWithPath: path))
        let keys = try options.key.map { try EncryptedFileSystem(opening: path, with: $0).keys }
        let pages = try PageFile(path, log: database.path.encryptedLog, keys: keys)
        for page in 1...pages.pageCount {
            let text = String(decoding: pages.page(page) ?? [], as: UTF8.self)
            let damaged = (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) }
            try DamagedDatabases.overwrite(page: page, of: database.path, encrypted: encrypted, with: damaged)
            let result = try BundleChecker.check(database.path.directory, options: options)
            try original.write(to: URL(fileURLWithPath: path))
            let isNamed = result.findings.contains { finding in
                let words = "\(finding.subject) \(finding.message)".lowercased().split { " :".contains($0) }
                return zip(words, words.dropFirst()).contains { $0 == "page" && $1 == "\(page)" }
            }
            let onPage = expected.keys.filter { text.contains($0) }
            let isReported = result.findings.contains { finding in onPage.contains { finding.subject.contains($0) } }
            let reasons = result.findings.map(\.description).prefix(5)
            #expect(isNamed || isReported, "seed \(seed), page \(page): \(reasons)")
            // Without the shared keys documents are counted too.
            #expect(result.documents >= expected.count - onPage.count, "seed \(seed), page \(page): \(result.documents) \(reasons)")
        }
    }

    @Test("pages that nothing leads to are one finding")
    func unusedPages() throws {
        let (database, expected) = try DamagedDatabases.make(.init())
        let connection = try Connection(path: database.path.sqliteFile, mode: .readWrite)
        let root = try #require(try connection.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'kv_default'"))
        try connection.close()
        try DamagedDatabases.overwrite(page: Int(root), of: database.path, encrypted: false, with: [UInt8](repeating: 0xA5, count: 4096))
        let result = try BundleChecker.check(database.path.directory, options: .init())
        #expect(result.documents == expected.count)
        #expect(result.findings.count { $0.message.hasPrefix("no table, index or list of free pages leads to them: ") } == 1)
        #expect(result.findings.contains { $0.message.hasPrefix("\(expected.count) of its documents") })
    }

    @Test("a database that cannot be read at all is an error, and no finding")
    func unreadable() throws {
        let (database, _) = try DamagedDatabases.make(.key(.test(1)))
        #expect(throws: StoreError.encrypted(path: database.path.directory)) {
            try BundleChecker.check(database.path.directory, options: .init())
        }
        #expect(throws: StoreError.wrongKey(path: database.path.directory)) {
            try BundleChecker.check(database.path.directory, options: .key(.test(2)))
        }
        let missing = database.directory.path("missing.cblite2")
        #expect(throws: StoreError.missing(path: missing)) { try BundleChecker.check(missing, options: .init()) }
    }

    @Test("files of other formats are no damaged databases")
    func otherFormats() throws {
        let database = try TestDatabase()
        try database.close()
        let path = database.path.directory
        try FileManager.default.removeItem(atPath: database.path.sqliteFile)
        let connection = try Connection(path: database.path.sqliteFile, mode: .create)
        try connection.execute("CREATE TABLE t (x); PRAGMA user_version=503")
        try connection.close()
        #expect(throws: StoreError.self) { try BundleChecker.check(path, options: .init()) }
    }

    @Test("a check of a damaged database leaves no files beside it", arguments: [false, true])
    func noFiles(encrypted: Bool) throws {
        let options = DamagedDatabases.options(encrypted: encrypted)
        let (database, _) = try DamagedDatabases.make(options)
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: database.path.directory).sorted() }
        let before = try files()
        for page in [1, 4, 11] {
            let random = [UInt8](repeating: 0xA5, count: 4096)
            try DamagedDatabases.overwrite(page: page, of: database.path, encrypted: encrypted, with: random)
            _ = try BundleChecker.check(database.path.directory, options: options)
            #expect(try files() == before)
        }
    }
}
