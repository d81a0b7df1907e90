import TestSupport
import Testing

@testable import DocumentStore

@Suite("Refused upgrades to version vectors")
struct VersionVectorUpgradeTests {
    private static let row = "SELECT count(*) FROM kv_info WHERE key = 'CouchbaseLiteSwift.remotesWithTrees'"

    /// A database that was replicated with a gateway that serves revision trees only.
    private func replicated() throws -> (database: TestDatabase, remote: Int) {
        let database = try TestDatabase()
        let remote = try database.file.remoteID(for: "wss://gateway.example/db/_blipsync")
        try database.file.noteKind(.trees, ofRemote: remote)
        return (database, remote)
    }

    @Test("an upgrade is refused while a remote is recorded that serves revision trees only, and changes nothing")
    func refused() throws {
        let (database, remote) = try replicated()
        let error = #expect(throws: StoreError.self) { try database.file.upgradeToVersionVectors() }
        #expect(error == .remotesWithTrees(path: database.file.bundle.directory, remotes: ["wss://gateway.example/db"]))
        #expect(error?.description.contains("because wss://gateway.example/db served only revision trees") == true)
        #expect(error?.code == 19)
        #expect(try !database.file.hasVersionVectors())
        #expect(try database.save("a", "{}").revision?.tree != nil)
        try database.file.noteKind(.versions, ofRemote: remote)
        #expect(try database.file.upgradeToVersionVectors())
        #expect(try database.save("a", "{}").revision?.tree == nil)
        try database.checkAndClose()
    }

    @Test("an upgrade that ignores the remotes removes their record")
    func ignoring() throws {
        let (database, _) = try replicated()
        #expect(try database.scalar(Self.row) == 1)
        #expect(try database.file.upgradeToVersionVectors(ignoringRemotes: true))
        #expect(try database.file.hasVersionVectors())
        #expect(try database.scalar(Self.row) == 0)
        #expect(try !database.file.upgradeToVersionVectors())
        try database.checkAndClose()
    }

    @Test("a database without a public UUID is not upgraded, because its versions would have no source")
    func noIdentity() throws {
        let database = try TestDatabase()
        try database.sql("DELETE FROM kv_info WHERE key = 'publicUUID'")
        let error = #expect(throws: StoreError.self) { try database.file.upgradeToVersionVectors() }
        #expect(error == .corrupt(path: database.file.bundle.directory, reason: "it has no public UUID"))
        #expect(try !database.file.hasVersionVectors())
    }

    @Test("a copy and a salvaged database are refused for the same remotes as the original")
    func copies() throws {
        let (database, _) = try replicated()
        try database.close()
        let copy = BundlePath(database.directory.path("copy.cblite2"))
        let salvaged = BundlePath(database.directory.path("salvaged.cblite2"))
        try DatabaseCopy.copy(database.path, to: copy)
        _ = try Salvage.copy(database.path, to: salvaged, options: .init())
        for path in [copy, salvaged] {
            let file = try DatabaseRegistry.open(path.directory)
            defer { DatabaseRegistry.closeLoggingErrors(file) }
            let error = #expect(throws: StoreError.self) { try file.upgradeToVersionVectors() }
            #expect(error == .remotesWithTrees(path: file.bundle.directory, remotes: ["wss://gateway.example/db"]))
        }
    }
}
