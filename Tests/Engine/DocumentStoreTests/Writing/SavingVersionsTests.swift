import Fleece
import Foundation
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Saving with version vectors")
struct SavingVersionsTests {
    private let clock = VirtualClock(1_800_000_000_000)
    private static let remote = SourceID([UInt8](repeating: 0x33, count: 16)) ?? .me

    private func time(_ id: RevisionID?) -> UInt64 { id?.version?.time ?? 0 }

    @Test("each change is a later version of this database, and takes the place of the one before")
    func changes() throws {
        let database = try TestDatabase.withVersions(clock)
        let first = try database.save("a", #"{"n":1}"#)
        #expect(first.sequence == 1)
        #expect(first.revision?.description == "\(String(UInt64(1_800_000_000_000_000_000) & ~0xFFFF, radix: 16))@*")
        // The clock of the device stands still.
        let second = try database.save("a", #"{"n":2}"#)
        #expect(time(second.revision) == time(first.revision) + 1)
        #expect(try database.historyText(of: "a") == second.revision?.description)
        #expect(try database.json("a") == #"{"n":2}"#)
        let row = try database.row(of: "a")
        #expect(row.extra == nil && row.flags == [] && row.sequence == 2)
        try database.delete("a")
        #expect(try database.row(of: "a").body.isEmpty)
        #expect(try database.row(of: "a").isInTombstoneTable)
        let again = try database.save("a", "{}", base: .none)
        #expect(time(again.revision) == time(first.revision) + 3)
        #expect(try database.row(of: "a").body == [0x70, 0x00])
        #expect(try database.collection().deletedCount() == 0)
        try database.checkAndClose()
    }

    @Test("a change is refused if it is based on another version")
    func conflicts() throws {
        let database = try TestDatabase.withVersions(clock)
        let first = try #require(try database.save("a", #"{"n":1}"#).revision)
        let second = try #require(try database.save("a", #"{"n":2}"#, base: .revision(first)).revision)
        #expect(try database.save("a", #"{"n":3}"#, base: .revision(first)) == .conflict)
        #expect(try database.save("a", #"{"n":3}"#, base: .none) == .conflict)
        #expect(try database.save("b", #"{"n":3}"#, base: .revision(first)) == .missing)
        #expect(try database.delete("a", base: .revision(second)).revision != nil)
    }

    @Test("after the file was opened again and the clock set back, a version is later than the stored ones of the document")
    func reopening() throws {
        let database = try TestDatabase.withVersions(clock)
        let first = try database.save("a", "{}")
        try database.reopen(options: .init(clock: VirtualClock(1_000_000_000_000)))
        let second = try database.save("a", "{}")
        #expect(time(second.revision) == time(first.revision) + 1)
    }

    @Test("a version is later than the versions of other databases that it supersedes, unless these are too far in the future")
    func supersedes() throws {
        let database = try TestDatabase.withVersions(clock)
        let wall = clock.nanoseconds & ~0xFFFF
        for (id, ahead, isLater) in [("a", UInt64(90_000_000_000), true), ("b", 600_000_000_000, false)] {
            let theirs = try #require(Version(time: wall + ahead & ~0xFFFF, source: Self.remote))
            try database.addRecord(
                id,
                sequence: id == "a" ? 1 : 2,
                version: VersionVector(theirs).binary.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
                body: "7000",
                extra: nil
            )
            let mine = try database.save(id, #"{"n":1}"#)
            #expect((time(mine.revision) > theirs.time) == isLater)
            #expect(try database.historyText(of: id) == "\(mine.revision?.description ?? ""); \(theirs)")
        }
    }

    @Test("a document whose version is the last possible one cannot be changed")
    func lastTime() throws {
        let database = try TestDatabase.withVersions(clock)
        let last = Version(existing: LogicalTime.maximum & ~LogicalTime.counterMask, .me)
        let digits = VersionVector(last).binary.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try database.addRecord("a", sequence: 1, version: digits, body: "7000", extra: nil)
        #expect(throws: StoreError.self) { try database.save("a", "{}") }
        #expect(try database.historyText(of: "a") == last.description)
    }

    @Test("a document with a tree is converted by its next change, and keeps the ID of its last revision and what remotes have")
    func conversion() throws {
        let database = try TestDatabase(options: .init(clock: clock))
        try database.save("local", #"{"n":1}"#)
        try database.receive("synced", [.of("1-aa")], #"{"n":1,"name":"Ann"}"#)
        try database.receive("synced", [.of("2-bb"), .of("1-aa")], #"{"n":2,"name":"Ann"}"#)
        try database.delete("local")
        try database.setVersionVectors()
        #expect(try database.row(of: "synced").hasTree)

        let saved = try database.save("synced", #"{"n":3,"name":"Ann"}"#)
        #expect(try database.historyText(of: "synced") == "\(saved.revision?.description ?? ""); 2-bb")
        let known = try database.knownRevisions(of: "synced")
        #expect(known.remotes[1]?.lineage == .tree(.of("2-bb")))
        #expect(try known.remotes[1]?.json(database.file.sharedKeys) == #"{"n":2,"name":"Ann"}"#)
        let later = try database.save("synced", #"{"n":4,"name":"Ann"}"#)
        #expect(try database.historyText(of: "synced") == "\(later.revision?.description ?? ""); 2-bb")
        let tombstone = try database.row(of: "local").version
        let revived = try database.save("local", "{}", base: .none)
        #expect(try database.historyText(of: "local") == "\(revived.revision?.description ?? ""); \(tombstone)")
        #expect(try BundleChecker(database.file).findings() == [])
    }

    @Test("properties with blobs set the flag of the document")
    func blobs() throws {
        let database = try TestDatabase.withVersions(clock)
        let digest = try database.file.blobs.store(Array("blob".utf8))
        try database.save("a", #"{"b":{"@type":"blob","digest":"\#(digest.string)"}}"#, hasBlobs: true)
        #expect(try database.row(of: "a").flags == .hasAttachments)
        try database.file.compact()
        #expect(try database.file.blobs.contains(digest))
        try database.save("a", "{}")
        #expect(try database.row(of: "a").flags == [])
        try database.file.compact()
        #expect(try !database.file.blobs.contains(digest))
        try database.checkAndClose()
    }

    @Test("purging and expiration remove documents")
    func purging() throws {
        let database = try TestDatabase.withVersions(clock)
        try database.save("a", "{}")
        try database.save("b", "{}")
        let collection = try database.collection()
        try database.file.transaction { _ = try collection.setExpiration(clock.now - 1, of: "b", in: $0) }
        #expect(try database.file.transaction { try collection.purgeExpired(now: clock.now, in: $0) } == ["b"])
        #expect(try database.purge("a"))
        #expect(try collection.count() == 0)
        try database.checkAndClose()
    }

    @Test("a transaction that is rolled back leaves the stored version, and the next one is later")
    func rollback() throws {
        let database = try TestDatabase.withVersions(clock)
        let first = try database.save("a", #"{"n":1}"#)
        let collection = try database.collection()
        #expect(throws: CancellationError.self) {
            try database.file.transaction { writer in
                _ = try collection.save(DocumentSave("a", base: .latest), #"{"n":2}"#, in: writer)
                throw CancellationError()
            }
        }
        #expect(try database.historyText(of: "a") == first.revision?.description)
        let second = try database.save("a", #"{"n":3}"#)
        #expect(time(second.revision) > time(first.revision))
    }
}
