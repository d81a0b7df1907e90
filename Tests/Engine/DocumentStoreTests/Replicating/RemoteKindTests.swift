import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Kinds of remote databases")
struct RemoteKindTests {
    private static let gateway = "wss://gateway.example/db/_blipsync"
    private static let row = "SELECT hex(body) FROM kv_info WHERE key = 'CouchbaseLiteSwift.remotesWithTrees'"

    @Test("remotes that serve revision trees only are recorded by their numbers, and removed when they serve version vectors")
    func record() throws {
        let database = try TestDatabase()
        let (one, two) = (try database.file.remoteID(for: Self.gateway), try database.file.remoteID(for: "local://0123"))
        try database.file.noteKind(.versions, ofRemote: one)
        #expect(try database.text(Self.row) == nil)
        try database.file.noteKind(.trees, ofRemote: two)
        try database.file.noteKind(.trees, ofRemote: one)
        #expect(try database.text(Self.row) == "00010002")
        #expect(try database.file.remotesWithTrees() == ["wss://gateway.example/db", "local://0123"])
        try database.file.noteKind(.versions, ofRemote: one)
        #expect(try database.text(Self.row) == "0002")
        #expect(try database.file.remotesWithTrees() == ["local://0123"])
        try database.file.noteKind(.versions, ofRemote: two)
        #expect(try database.text(Self.row) == nil)
        #expect(try database.file.remotesWithTrees() == [])
        try database.checkAndClose()
    }

    @Test("a kind that is recorded already is not written again")
    func repeated() throws {
        let database = try TestDatabase()
        let remote = try database.file.remoteID(for: Self.gateway)
        let other = try database.foreignConnection()
        defer { try? other.close() }
        func version() throws -> Int64? { try other.scalar("PRAGMA data_version") }
        let before = try version()
        try database.file.noteKind(.versions, ofRemote: remote)
        #expect(try version() == before)
        try database.file.noteKind(.trees, ofRemote: remote)
        let recorded = try version()
        #expect(recorded != before)
        try database.file.noteKind(.trees, ofRemote: remote)
        #expect(try version() == recorded)
    }

    @Test("a database with version vectors records no kinds")
    func vectors() throws {
        let database = try TestDatabase()
        let remote = try database.file.remoteID(for: Self.gateway)
        try database.file.upgradeToVersionVectors()
        try database.file.noteKind(.trees, ofRemote: remote)
        #expect(try database.text(Self.row) == nil)
    }

    @Test("numbers without a remote and an incomplete number in a damaged record are ignored")
    func damaged() throws {
        let database = try TestDatabase()
        let remote = try database.file.remoteID(for: Self.gateway)
        try database.sql("INSERT INTO kv_info (key, body) VALUES ('CouchbaseLiteSwift.remotesWithTrees', x'00010000FFFFAA')")
        #expect(try database.file.remotesWithTrees() == ["wss://gateway.example/db"])
        try database.file.noteKind(.versions, ofRemote: remote)
        #expect(try database.file.remotesWithTrees() == [])
    }
}
