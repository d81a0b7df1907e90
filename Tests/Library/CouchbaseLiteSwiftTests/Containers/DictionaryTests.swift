import Foundation
import Testing

@testable import CouchbaseLiteSwift

@Suite("Dictionaries")
struct DictionaryTests {
    @Test("every typed setter of a dictionary stores its type, and null for nil")
    func typed() throws {
        let date = Date(timeIntervalSince1970: 1)
        let blob = Blob(contentType: "t", data: Data([1]))
        let (list, child) = (MutableArrayObject(), MutableDictionaryObject())
        let dictionary = MutableDictionaryObject()
            .setString("s", forKey: "a").setNumber(7, forKey: "b").setInt(1, forKey: "c").setInt64(2, forKey: "d")
            .setDouble(3.5, forKey: "e").setFloat(4.5, forKey: "f").setBoolean(true, forKey: "g")
            .setDate(date, forKey: "h").setBlob(blob, forKey: "i").setArray(list, forKey: "j")
            .setDictionary(child, forKey: "k").setValue("v", forKey: "l")
        #expect(dictionary.string(forKey: "a") == "s")
        #expect(dictionary.number(forKey: "b") == 7)
        #expect(dictionary.int(forKey: "c") == 1)
        #expect(dictionary.int64(forKey: "d") == 2)
        #expect(dictionary.double(forKey: "e") == 3.5)
        #expect(dictionary.float(forKey: "f") == 4.5)
        #expect(dictionary.boolean(forKey: "g"))
        #expect(dictionary.date(forKey: "h") == date)
        #expect(dictionary.value(forKey: "h") as? String == "1970-01-01T00:00:01.000Z")
        #expect(dictionary.blob(forKey: "i") === blob)
        #expect(dictionary.array(forKey: "j") === list)
        #expect(dictionary.dictionary(forKey: "k") === child)
        #expect(dictionary.value(forKey: "l") as? String == "v")
        dictionary.setString(nil, forKey: "a").setNumber(nil, forKey: "b").setDate(nil, forKey: "h")
        dictionary.setBlob(nil, forKey: "i").setArray(nil, forKey: "j").setDictionary(nil, forKey: "k")
        dictionary.setValue(nil, forKey: "l")
        for key in ["a", "b", "h", "i", "j", "k", "l"] {
            #expect(dictionary.contains(key: key))
            #expect(dictionary.value(forKey: key) is NSNull)
        }
        #expect(dictionary.count == 12)
    }

    @Test("keys, count and iteration of a dictionary reflect its edits")
    func keys() throws {
        let stored = try #require(try stored(["d": ["a": 1, "b": 2, "c": 3]]).dictionary(forKey: "d"))
        #expect(stored.count == 3)
        #expect(stored.keys.sorted() == ["a", "b", "c"])
        #expect(Array(stored) == stored.keys)
        let copy = stored.toMutable().removeValue(forKey: "b").setInt(4, forKey: "d").setInt(5, forKey: "a")
        copy.removeValue(forKey: "never there")
        #expect(copy.keys.sorted() == ["a", "c", "d"])
        #expect(Array(copy) == copy.keys)
        #expect(copy.count == 3)
        #expect(!copy.contains(key: "b"))
        #expect(copy.setInt(6, forKey: "b").count == 4)
        #expect(stored.int(forKey: "a") == 1)
        #expect(stored.contains(key: "b"))
    }

    @Test("setData and setJSON replace all values of a dictionary, and nil removes them")
    func replacing() throws {
        let dictionary = MutableDictionaryObject(data: ["a": 1])
        #expect(dictionary.setData(["b": 2]).keys == ["b"])
        #expect(try dictionary.setJSON(#"{"c":{"d":3}}"#)["c"]["d"].int == 3)
        #expect(dictionary.setData(nil).count == 0)
        #expect(MutableDictionaryObject(data: nil).count == 0)
    }

    @Test("a dictionary returns the same nested object each time, mutable only if the dictionary is mutable")
    func identity() throws {
        let stored = try #require(try stored(["d": ["l": [1], "o": ["x": 1]]]).dictionary(forKey: "d"))
        let copy = stored.toMutable()
        for dictionary in [stored, copy] {
            #expect(dictionary.array(forKey: "l") === dictionary.array(forKey: "l"))
            #expect(dictionary.dictionary(forKey: "o") === dictionary.value(forKey: "o") as AnyObject)
            #expect((dictionary.array(forKey: "l") is MutableArrayObject) == (dictionary === copy))
        }
        copy.dictionary(forKey: "o")?.setInt(2, forKey: "x")
        #expect(copy["o"]["x"].int == 2)
        #expect(stored["o"]["x"].int == 1)
    }

    @Test("toDictionary returns plain values at every depth")
    func plain() throws {
        let data: [String: Any] = ["a": [1, ["b": NSNull()]], "c": ["d": "e"]]
        let plain = MutableDictionaryObject(data: data).toDictionary()
        #expect(try canonical(plain) == #"{"a":[1,{"b":null}],"c":{"d":"e"}}"#)
        #expect((plain["a"] as? [Any])?.last is [String: Any])
    }
}
