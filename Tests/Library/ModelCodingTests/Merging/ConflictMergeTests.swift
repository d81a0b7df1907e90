import Fleece
import TestSupport
import Testing

@testable import DocumentStore
@testable import ModelCoding

@Suite("Merging the versions of a document")
struct ConflictMergeTests {
    private func version(_ body: FleeceData, _ revision: String) throws -> ConflictRevision {
        ConflictRevision(id: try #require(RevisionID(revision)), isDeleted: false, body: body, hasAttachments: false)
    }

    private func conflict(_ local: FleeceData, _ remote: FleeceData, _ base: FleeceData?) throws -> StoredConflict {
        StoredConflict(
            documentID: "a",
            local: try version(local, "2-aa"),
            remote: try version(remote, "2-bb"),
            base: try base.map { try version($0, "1-cc") },
            sharedKeys: .empty
        )
    }

    @Test("the same conflict gives the same document on both sides")
    func symmetric() throws {
        let versions = try [
            #"{"a":1,"b":{"c":[1],"d":2},"stock":5,"stock_counter":{"@type":"counter","start":4,"by":[["x",1,0]]}}"#,
            #"{"a":2,"b":{"c":[2],"d":2,"e":3},"stock":3,"stock_counter":{"@type":"counter","start":4,"by":[["y",0,1]]}}"#,
            #"{"a":0,"b":{"c":[],"d":1},"stock":4}"#,
        ].map { try JSON.fleece($0) }
        let here = try conflict(versions[0], versions[1], versions[2])
        let there = StoredConflict(documentID: "a", local: here.remote, remote: here.local, base: here.base, sharedKeys: .empty)
        for extent in [ConflictMerge.Extent.properties, .counters] {
            let bodies = try [here, there].map { try #require(try ConflictMerge.merge($0, extent, prefersLocal: $0.prefersLocal)) }
            #expect(Array(bodies[0].bytes) == Array(bodies[1].bytes))
            #expect(bodies[0].root?.dictionary?.value(for: "stock")?.int64 == 4)
            #expect(bodies[0].root?.dictionary?.value(for: "a")?.int64 == 2)
        }
    }

    @Test("only counters are merged if there are some, and a document with the key of tallies twice is merged")
    func counters() throws {
        let plain = try conflict(JSON.fleece(#"{"stock":1}"#), JSON.fleece(#"{"stock":2}"#), nil)
        #expect(try ConflictMerge.merge(plain, .counters, prefersLocal: true) == nil)
        let tallies = #"{"@type":"counter","start":1,"by":[]}"#
        let text = #"{"a":1,"a_counter":\#(tallies),"a_counter_counter":\#(tallies),"_counter":\#(tallies),"":1}"#
        let twice = try conflict(JSON.fleece(text), JSON.fleece(text), nil)
        let merged = try #require(try ConflictMerge.merge(twice, .properties, prefersLocal: true))
        #expect(merged.root?.dictionary?.count == 5)
    }

    @Test("dictionaries that contain each other many times are refused, and not merged in each place")
    func repeated() throws {
        // A number, and dictionaries whose two values are pointers to the one before.
        func data(_ number: UInt8) -> FleeceData {
            var bytes: [UInt8] = [0, number]
            for level in 0..<40 {
                let distance: UInt8 = level == 0 ? 3 : 7
                bytes += [0x70, 2, 0x41, 0x61, 0x80, distance, 0x41, 0x62, 0x80, distance + 2]
            }
            bytes += [0x80, 5]
            return bytes.withUnsafeBytes { FleeceData(copying: $0) }
        }
        #expect(throws: FleeceError.self) { try ConflictMerge.merge(conflict(data(1), data(2), nil), .properties, prefersLocal: true) }
    }

    @Test("damaged versions are merged or refused, and never trap")
    func damaged() throws {
        let seed = TestSeed.forThisTest()
        print("seed", seed)
        var random = SeededGenerator(seed: seed)
        let texts = [
            #"{"a":[1,2,{"b":"text"}],"n":{"c":{"d":1}},"stock":5,"stock_counter":{"@type":"counter","start":4,"by":[["x",1,0]]}}"#,
            #"{"a":[3],"n":{"c":{"d":2},"e":"long enough text"},"stock":9,"stock_counter":{"@type":"counter","start":4,"by":[["x",2,0],["y",3,0]]}}"#,
        ]
        var mergedCount = 0
        for _ in 0..<20_000 {
            let bodies = try (0..<3).map { number in
                var bytes = Array(try JSON.fleece(texts[number % 2]).bytes)
                for _ in 0..<Int.random(in: 0...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
                }
                return FleeceData(bytes)
            }
            let conflict = try conflict(bodies[0], bodies[1], Bool.random(using: &random) ? bodies[2] : nil)
            for extent in [ConflictMerge.Extent.properties, .counters] {
                if (try? ConflictMerge.merge(conflict, extent, prefersLocal: .random(using: &random))) != nil { mergedCount += 1 }
            }
        }
        #expect(mergedCount > 0)
    }
}
