import Fleece
import Testing

@Suite("Changed keys of a dictionary")
struct ChangedKeysTests {
    /// Records a change of a key of a dictionary with no stored keys.
    private func change(_ key: String, isRemoved: Bool = false, in changes: inout ChangedKeys) -> Int? {
        changes.change(key, isRemoved: isRemoved, isChange: true, base: nil, sharedKeys: nil)
    }

    @Test("each key has one entry, which is found by its bytes, in a list as in a hash table", arguments: [3, 24, 25, 1000])
    func entries(_ count: Int) {
        var changes = ChangedKeys()
        let keys = (0..<count).map { "a key of \($0)" }
        for round in 0..<2 {
            for (index, key) in keys.enumerated() { #expect(change(key, in: &changes) == index, "round \(round)") }
        }
        #expect(changes.entries.map(\.key) == keys)
        for (index, key) in keys.enumerated() { #expect(changes.place(of: key) == index) }
        #expect(changes.place(of: "another key") == nil)
    }

    @Test("canonically equivalent keys are different")
    func bytes() {
        var changes = ChangedKeys()
        #expect(change("\u{E9}", in: &changes) == 0)
        #expect(change("e\u{301}", in: &changes) == 1)
        #expect(changes.place(of: "\u{E9}") == 0)
    }

    @Test("the keys of a changed dictionary are the stored ones that were not removed, and then the added ones")
    func keys() throws {
        let sharedKeys = MutableSharedKeys(.empty)
        let data = try JSON.fleece(#"{"a":1,"a longer key than shared ones are":2,"c":3}"#, sharedKeys: sharedKeys)
        let base = try #require(data.root)
        let keys = sharedKeys.snapshot
        var changes = ChangedKeys()
        func change(_ key: String, isRemoved: Bool, isChange: Bool = true) -> Int? {
            changes.change(key, isRemoved: isRemoved, isChange: isChange, base: base, sharedKeys: keys)
        }
        #expect(change("missing", isRemoved: true) == nil)
        #expect(change("a", isRemoved: false, isChange: false) == 0)
        #expect(!changes.hasChange)
        #expect(change("c", isRemoved: true) == 1)
        #expect(change("d", isRemoved: false) == 2)
        #expect(change("e", isRemoved: false) == 3)
        #expect(change("e", isRemoved: true) == 3)
        #expect(changes.hasChange)
        #expect(changes.countDifference == 0)
        #expect(changes.keys(over: base.dictionary, sharedKeys: keys) == ["a", "a longer key than shared ones are", "d"])
        var found: [String?: Int] = [:]
        base.dictionary?.forEach { key, _ in found[key.text(keys)] = changes.place(ofStored: key, in: keys) }
        #expect(found == ["a": 0, "c": 1])
    }
}
