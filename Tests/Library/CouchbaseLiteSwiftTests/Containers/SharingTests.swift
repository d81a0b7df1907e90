import Fleece
import Testing

@testable import CouchbaseLiteSwift

@Suite("Nested containers")
struct SharingTests {
    @Test("a mutable object stays connected to the document in which it was set")
    func connected() throws {
        let child = MutableDictionaryObject().setInt(1, forKey: "x")
        let list = MutableArrayObject().addInt(1)
        let document = MutableDocument().setDictionary(child, forKey: "d").setValue(list, forKey: "l")
        child.setInt(2, forKey: "x")
        list.addInt(2)
        #expect(document.dictionary(forKey: "d") === child)
        #expect(document.array(forKey: "l") === list)
        #expect(document["d"]["x"].int == 2)
        let saved = try DocumentCodec().roundTrip(document)
        #expect(saved["d"]["x"].int == 2)
        #expect(saved.array(forKey: "l")?.count == 2)
    }

    @Test("setting an immutable object stores a mutable copy")
    func copied() throws {
        let source = try stored(["d": ["x": [1]], "l": [1]])
        let document = MutableDocument()
            .setDictionary(source.dictionary(forKey: "d"), forKey: "d").setArray(source.array(forKey: "l"), forKey: "l")
        document.dictionary(forKey: "d")?.array(forKey: "x")?.addInt(2)
        document.array(forKey: "l")?.addInt(2)
        #expect(document["d"]["x"].array?.count == 2)
        #expect(source["d"]["x"].array?.count == 1)
        #expect(source.array(forKey: "l")?.count == 1)
    }

    @Test("one object may be used in several places and documents")
    func twoPlaces() throws {
        let child = MutableDictionaryObject().setInt(1, forKey: "x")
        let first = MutableDocument().setDictionary(child, forKey: "a").setDictionary(child, forKey: "b")
        let second = MutableDocument().setArray(MutableArrayObject().addDictionary(child), forKey: "l")
        child.setInt(2, forKey: "x")
        #expect(first["a"]["x"].int == 2)
        #expect(first["b"]["x"].int == 2)
        #expect(second["l"][0]["x"].int == 2)
        first.removeValue(forKey: "a")
        child.setInt(3, forKey: "x")
        #expect(try DocumentCodec().roundTrip(first)["b"]["x"].int == 3)
    }

    @Test("an object moved from one key of a document to another keeps its changes")
    func moved() throws {
        let document = try stored(["a": ["x": 1]]).toMutable()
        let child = document.dictionary(forKey: "a")
        document.setDictionary(child, forKey: "b").removeValue(forKey: "a")
        child?.setInt(2, forKey: "x")
        #expect(document.keys == ["b"])
        #expect(document["b"]["x"].int == 2)
        #expect(try canonical(DocumentCodec().roundTrip(document).toDictionary()) == #"{"b":{"x":2}}"#)
    }

    @Test("an object that was replaced does not change its document")
    func replaced() throws {
        let document = try stored(["a": ["x": 1]]).toMutable()
        let child = document.dictionary(forKey: "a")
        document.setInt(5, forKey: "a")
        child?.setInt(2, forKey: "x")
        #expect(document.int(forKey: "a") == 5)
        document.setData(["a": ["x": 7]])
        child?.setInt(3, forKey: "x")
        #expect(document["a"]["x"].int == 7)
    }

    @Test("a change of a nested object marks its document as changed")
    func ancestors() throws {
        let document = try stored(["a": ["b": [["c": 1]]]]).toMutable()
        let deepest = document["a"]["b"][0].dictionary
        let isChangedBefore = document.contents.hasChanges
        deepest?.setInt(2, forKey: "c")
        let isChangedAfter = document.contents.hasChanges
        #expect(!isChangedBefore && isChangedAfter)
        #expect(try canonical(DocumentCodec().roundTrip(document).toDictionary()) == #"{"a":{"b":[{"c":2}]}}"#)
    }

    @Test("toMutable of a mutable container returns a deep copy")
    func deepCopy() {
        let inner = MutableArrayObject().addInt(1)
        let dictionary = MutableDictionaryObject().setArray(inner, forKey: "l")
        let copy = dictionary.toMutable()
        copy.array(forKey: "l")?.addInt(2)
        inner.addInt(3)
        #expect(dictionary.array(forKey: "l")?.toArray() as? [Int] == [1, 3])
        #expect(copy.array(forKey: "l")?.toArray() as? [Int] == [1, 2])
        let list = MutableArrayObject().addDictionary(dictionary)
        let listCopy = list.toMutable()
        dictionary.setInt(1, forKey: "new")
        #expect(listCopy.dictionary(at: 0)?.contains(key: "new") == false)
    }

    @Test("setting a container inside itself raises an exception")
    func cycles() {
        let dictionary = MutableDictionaryObject()
        let list = MutableArrayObject().addDictionary(dictionary)
        #expect(misuse { dictionary.setArray(list, forKey: "l") }?.name == invalidArgument)
        #expect(misuse { dictionary.setDictionary(dictionary, forKey: "d") }?.name == invalidArgument)
        #expect(misuse { list.addArray(list) }?.name == invalidArgument)
        #expect(dictionary.count == 0)
        #expect(list.count == 1)
    }

    @Test("containers nested deeper than the format allows cannot be saved")
    func tooDeep() throws {
        func document(_ depth: Int) -> MutableDocument {
            let top = MutableArrayObject()
            var innermost = top
            for _ in 1..<depth {
                let next = MutableArrayObject()
                innermost.addArray(next)
                innermost = next
            }
            return MutableDocument().setArray(top, forKey: "l")
        }
        #expect(try DocumentCodec().roundTrip(document(100)).count == 1)
        #expect(throws: FleeceError(.tooDeep)) { try DocumentCodec().roundTrip(document(101)) }
    }
}
