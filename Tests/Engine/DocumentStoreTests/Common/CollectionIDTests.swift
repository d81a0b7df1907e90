import Fleece
import Testing

@testable import DocumentStore

@Suite("Collection names")
struct CollectionIDTests {
    @Test("a collection name maps to store and table names in which capital letters are marked")
    func tables() throws {
        let cases: [(CollectionID, String, String, String)] = [
            (.default, "default", "kv_default", "kv_del_default"),
            (try CollectionID(name: "people"), ".people", "kv_.people", "kv_del_.people"),
            (
                try CollectionID(name: "Hotels", scope: "Travel"), ".Travel.Hotels", #"kv_.\Travel.\Hotels"#,
                #"kv_del_.\Travel.\Hotels"#
            ),
        ]
        for (id, store, table, tombstones) in cases {
            #expect(id.storeName == store)
            #expect(StoreName.table(store) == table)
            #expect(StoreName.tombstoneTable(store) == tombstones)
            #expect(StoreName.store(ofTable: table) == store)
            #expect(StoreName.store(ofTable: tombstones) == nil)
            #expect(CollectionID(storeName: store) == id)
        }
        #expect(StoreName.table(StoreName.peerCheckpoints) == #"kv_peer\Checkpoints"#)
        #expect(StoreName.store(ofTable: "kv_default::fts") == nil)
        #expect(StoreName.store(ofTable: "indexes") == nil)
    }

    @Test("table names are distinguished by their bytes, also where an accent changes a character of the format")
    func accents() {
        #expect(StoreName.store(ofTable: "kv_a:\u{301}b") == nil)
        #expect(StoreName.store(ofTable: "kv_del_\u{301}a") == nil)
        #expect(StoreName.store(ofTable: "kv_\u{301}\\\u{301}A").map { Array($0.utf8) } == Array("\u{301}\u{301}A".utf8))
        #expect(IndexTables.isIndexTable("kv_\u{301}:a"))
        let levels = IndexTables.levels(of: "kv_default:unnest:\u{301}a[].\u{301}b")
        let expected = ["kv_default:unnest:\u{301}a", "kv_default:unnest:\u{301}a[].\u{301}b"]
        #expect(levels.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    }

    @Test("the levels of an array index are not listed if its path has more levels than values can nest")
    func tooManyLevels() {
        let most = "kv_default:unnest:" + String(repeating: "a[].", count: Limits.maximumDepth) + "a"
        #expect(IndexTables.levels(of: most).count == Limits.maximumDepth + 1)
        let more = most + "[].a"
        #expect(IndexTables.levels(of: more) == [more])
    }

    @Test("valid collection and scope names are accepted", arguments: ["a", "A-b_c%9", "-", "0", String(repeating: "x", count: 251)])
    func valid(_ name: String) throws {
        #expect(try CollectionID(name: name).name == name)
        #expect(try CollectionID(name: "c", scope: name).fullName == "\(name).c")
    }

    @Test(
        "invalid collection and scope names are rejected",
        arguments: ["", "_a", "%a", "a.b", "a b", "é", "a/b", "__default", String(repeating: "x", count: 252)]
    )
    func invalid(_ name: String) {
        #expect(throws: StoreError.invalidCollectionName(name)) { try CollectionID(name: name) }
        #expect(throws: StoreError.invalidCollectionName(name)) { try CollectionID(name: "c", scope: name) }
    }

    @Test("the default collection exists in the default scope only")
    func defaultCollection() throws {
        #expect(try CollectionID(name: "_default").isDefault)
        #expect(throws: StoreError.invalidCollectionName("_default")) { try CollectionID(name: "_default", scope: "s") }
    }

    @Test("a store with any other name is not a collection", arguments: ["info", ".", "..", ".a.", "._default", ".a.b.c", ".a b", ""])
    func notCollections(_ store: String) {
        #expect(CollectionID(storeName: store) == nil)
    }
}
