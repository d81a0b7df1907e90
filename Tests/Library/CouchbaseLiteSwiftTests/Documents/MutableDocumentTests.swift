import Testing

@testable import CouchbaseLiteSwift

@Suite("Mutable documents")
struct MutableDocumentTests {
    @Test("generated IDs have 23 characters, begin with a dash, and differ")
    func generatedIDs() {
        let ids = (0..<1000).map { _ in MutableDocument().id }
        #expect(Set(ids).count == 1000)
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(ids.allSatisfy { $0.count == 23 && $0.hasPrefix("-") && $0.allSatisfy(alphabet.contains) })
        #expect(MutableDocument(id: nil).id.count == 23)
        #expect(MutableDocument(id: "x").id == "x")
    }

    @Test("a new document has no revision, sequence or collection")
    func new() {
        let document = MutableDocument()
        #expect(document.revisionID == nil)
        #expect(document.sequence == 0)
        #expect(document.collection == nil)
        #expect(document._getRevisionHistory() == nil)
        #expect(document.count == 0)
    }

    @Test("setters can be chained, and overwrite existing values")
    func chain() {
        let document = MutableDocument(id: "d")
            .setString("a", forKey: "x").setInt(1, forKey: "y").setString("b", forKey: "x")
        #expect(document.string(forKey: "x") == "b")
        #expect(document.keys == ["x", "y"])
        #expect(document.count == 2)
    }

    @Test("nil is stored as null, and removeValue removes a key")
    func nullAndRemove() throws {
        let document = MutableDocument()
            .setValue(nil, forKey: "a").setString(nil, forKey: "b").setNumber(nil, forKey: "c").setDate(nil, forKey: "d")
            .setBlob(nil, forKey: "e").setArray(nil, forKey: "f").setDictionary(nil, forKey: "g")
        for key in ["a", "b", "c", "d", "e", "f", "g"] {
            #expect(document.contains(key: key))
            #expect(document.value(forKey: key) is NSNull)
        }
        document.removeValue(forKey: "a").removeValue(forKey: "never there")
        #expect(!document.contains(key: "a"))
        #expect(document.count == 6)
        #expect(try DocumentCodec().roundTrip(document).keys.sorted() == ["b", "c", "d", "e", "f", "g"])
    }

    @Test("setData replaces all properties, and nil removes them")
    func setData() {
        let document = MutableDocument(data: ["a": 1, "b": 2]).setData(["c": 3])
        #expect(document.toDictionary() as? [String: Int] == ["c": 3])
        #expect(document.setData(nil).count == 0)
        #expect(MutableDocument(data: nil).count == 0)
    }

    @Test("a document does not share a Swift dictionary that was set")
    func notShared() {
        var data: [String: Any] = ["list": [1, 2]]
        let document = MutableDocument(data: data)
        data["list"] = [9]
        #expect(document.array(forKey: "list")?.toArray() as? [Int] == [1, 2])
    }

    @Test("toMutable returns a copy of a stored document, and a mutable document itself")
    func toMutable() throws {
        let document = try stored(["a": 1, "d": ["x": 1], "l": [1, [2]]])
        let copy = document.toMutable()
        #expect(copy.id == document.id)
        copy.setInt(2, forKey: "a")
        copy.dictionary(forKey: "d")?.setInt(5, forKey: "x")
        copy.array(forKey: "l")?.array(at: 1)?.addInt(7)
        #expect(document.int(forKey: "a") == 1)
        #expect(document.dictionary(forKey: "d")?.int(forKey: "x") == 1)
        #expect(document.array(forKey: "l")?.array(at: 1)?.count == 1)
        #expect(copy.toMutable() === copy)
    }

    @Test("edits of a stored document are saved, and its other properties are kept")
    func edits() throws {
        let codec = DocumentCodec()
        let data: [String: Any] = [
            "a": 1, "b": "two", "my key": true, "d": ["x": [1, ["y": 2]], "z": 1.5], "gone": 0,
        ]
        let document = try codec.roundTrip(MutableDocument(id: "d", data: data))
        let copy = document.toMutable()
        copy.setString("new", forKey: "n").removeValue(forKey: "gone").setInt(10, forKey: "a")
        copy.dictionary(forKey: "d")?.array(forKey: "x")?.dictionary(at: 1)?.setString("deep", forKey: "y")
        let saved = try codec.roundTrip(copy)
        let expected: [String: Any] = [
            "a": 10, "b": "two", "my key": true, "d": ["x": [1, ["y": "deep"]], "z": 1.5], "n": "new",
        ]
        #expect(try canonical(saved.toDictionary()) == canonical(expected))
        #expect(try canonical(copy.toDictionary()) == canonical(expected))
        #expect(Set(copy.keys) == Set(expected.keys))
        #expect(copy.keys.count == 5)
        #expect(copy.count == 5)
        #expect(saved == copy)
    }

    @Test("a key that was removed and set again exists once")
    func removedAndSet() throws {
        let copy = try stored(["a": 1, "b": 2]).toMutable()
        copy.removeValue(forKey: "a").setInt(3, forKey: "a").setInt(4, forKey: "c").removeValue(forKey: "c")
        copy.setInt(5, forKey: "c")
        #expect(copy.count == 3)
        #expect(copy.keys.sorted() == ["a", "b", "c"])
        #expect(try DocumentCodec().roundTrip(copy).toDictionary() as? [String: Int] == ["a": 3, "b": 2, "c": 5])
    }

    @Test("a value of another database's document is saved with the keys of its new database")
    func otherKeys() throws {
        let foreign = DocumentCodec()
        _ = try foreign.roundTrip(MutableDocument(data: ["p": 0, "q": 0, "r": 0]))
        let source = try foreign.roundTrip(MutableDocument(data: ["d": ["r": 1, "s": ["q": 2]]]))
        let document = MutableDocument().setDictionary(source.dictionary(forKey: "d"), forKey: "copy")
        let saved = try DocumentCodec().roundTrip(document)
        #expect(try canonical(saved.toDictionary()) == #"{"copy":{"r":1,"s":{"q":2}}}"#)
    }

    @Test("every key of a document with very many keys is found", arguments: [24, 25, 26, 100, 2100], ["key number ", "shared-"])
    func manyKeys(_ count: Int, _ name: String) throws {
        let codec = DocumentCodec()
        let document = MutableDocument()
        for number in 0..<count { document.setInt(number, forKey: "\(name)\(number)") }
        for number in 0..<count where number % 3 == 0 { document.setInt(-number, forKey: "\(name)\(number)") }
        func check(_ document: Document) -> Bool {
            (0..<count).allSatisfy { document.int(forKey: "\(name)\($0)") == ($0 % 3 == 0 ? -$0 : $0) }
        }
        #expect(document.count == count)
        #expect(check(document))
        let saved = try codec.roundTrip(document)
        #expect(saved.count == count)
        #expect(check(saved))
        let copy = saved.toMutable()
        for number in 0..<count {
            copy.setInt(document.int(forKey: "\(name)\(number)"), forKey: "\(name)\(number)")
        }
        copy.removeValue(forKey: "\(name)1")
        #expect(copy.count == count - 1)
        let changed = try codec.roundTrip(copy)
        #expect(changed.count == count - 1)
        #expect((0..<count).allSatisfy { $0 == 1 || changed.int(forKey: "\(name)\($0)") == document.int(forKey: "\(name)\($0)") })
    }

    @Test("keys are distinguished by their bytes")
    func keyBytes() throws {
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        let document = MutableDocument().setInt(1, forKey: composed).setInt(2, forKey: decomposed).setInt(3, forKey: "")
        document.setInt(4, forKey: "a\u{0}b").setInt(5, forKey: "a")
        let saved = try DocumentCodec().roundTrip(document)
        for document in [saved, document] {
            #expect(document.int(forKey: composed) == 1)
            #expect(document.int(forKey: decomposed) == 2)
            #expect(document.int(forKey: "") == 3)
            #expect(document.int(forKey: "a\u{0}b") == 4)
            #expect(document.int(forKey: "a") == 5)
        }
    }
}
