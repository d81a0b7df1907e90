import Testing

@testable import CouchbaseLiteSwift

@Suite("Arrays")
struct ArrayTests {
    @Test("values of an array are added, replaced, inserted and removed")
    func editing() {
        let array = MutableArrayObject().addInt(1).addString("b").addValue(nil)
        array.insertInt(0, at: 0).insertBoolean(true, at: array.count).setDouble(2.5, at: 1).removeValue(at: 3)
        #expect(array.count == 4)
        #expect(array.int(at: 0) == 0)
        #expect(array.double(at: 1) == 2.5)
        #expect(array.string(at: 2) == "b")
        #expect(array.boolean(at: 3))
    }

    @Test("every typed setter, adder and inserter of an array stores its type")
    func typed() throws {
        let date = Date(timeIntervalSince1970: 1)
        let blob = Blob(contentType: "t", data: Data([1]))
        let child = MutableDictionaryObject()
        let list = MutableArrayObject()
        func check(_ array: MutableArrayObject) {
            #expect(array.string(at: 0) == "s")
            #expect(array.number(at: 1) == 7)
            #expect(array.int(at: 2) == 1)
            #expect(array.int64(at: 3) == 2)
            #expect(array.double(at: 4) == 3.5)
            #expect(array.float(at: 5) == 4.5)
            #expect(array.boolean(at: 6))
            #expect(array.date(at: 7) == date)
            #expect(array.blob(at: 8) === blob)
            #expect(array.array(at: 9) === list)
            #expect(array.dictionary(at: 10) === child)
            #expect(array.value(at: 11) as? String == "v")
            #expect(array.count == 12)
        }
        let added = MutableArrayObject()
            .addString("s").addNumber(7).addInt(1).addInt64(2).addDouble(3.5).addFloat(4.5).addBoolean(true).addDate(date)
            .addBlob(blob).addArray(list).addDictionary(child).addValue("v")
        check(added)
        let set = MutableArrayObject(data: [Any](repeating: 0, count: 12))
        set.setString("s", at: 0).setNumber(7, at: 1).setInt(1, at: 2).setInt64(2, at: 3).setDouble(3.5, at: 4)
        set.setFloat(4.5, at: 5).setBoolean(true, at: 6).setDate(date, at: 7).setBlob(blob, at: 8).setArray(list, at: 9)
        set.setDictionary(child, at: 10).setValue("v", at: 11)
        check(set)
        let inserted = MutableArrayObject()
        inserted.insertValue("v", at: 0).insertDictionary(child, at: 0).insertArray(list, at: 0).insertBlob(blob, at: 0)
        inserted.insertDate(date, at: 0).insertBoolean(true, at: 0).insertFloat(4.5, at: 0).insertDouble(3.5, at: 0)
        inserted.insertInt64(2, at: 0).insertInt(1, at: 0).insertNumber(7, at: 0).insertString("s", at: 0)
        check(inserted)
    }

    @Test("a stored array can be edited in a mutable copy of its document")
    func storedArray() throws {
        let document = try stored(["l": [1, "two", [3], ["k": 4], nil] as [Any?]])
        let array = try #require(document.array(forKey: "l"))
        #expect(array.count == 5)
        #expect(array.value(at: 4) is NSNull)
        let copy = document.toMutable()
        let list = try #require(copy.array(forKey: "l"))
        list.removeValue(at: 0).addString("end").array(at: 1)?.addInt(33)
        list.dictionary(at: 2)?.setInt(44, forKey: "k")
        let expected = #"["two",[3,33],{"k":44},null,"end"]"#
        #expect(try canonical(list.toArray()) == expected)
        #expect(try canonical(DocumentCodec().roundTrip(copy).array(forKey: "l")?.toArray() as Any) == expected)
        #expect(try canonical(array.toArray()) == #"[1,"two",[3],{"k":4},null]"#)
    }

    @Test("iterating an array yields its values, and nested ones as objects")
    func iteration() throws {
        let array = try #require(try stored(["l": [1, "x", [2]]]).array(forKey: "l"))
        var kinds: [String] = []
        for value in array {
            switch value {
            case let number as NSNumber: kinds.append("number \(number)")
            case let string as String: kinds.append("string \(string)")
            case let nested as ArrayObject: kinds.append("array \(nested.count)")
            default: kinds.append("?")
            }
        }
        #expect(kinds == ["number 1", "string x", "array 1"])
    }

    @Test("an unreferenced nested object of a long array is released")
    func iterationDropsObjects() throws {
        let items = [[String: Any]](repeating: ["k": 1], count: 500)
        let array = try #require(try stored(["l": items]).array(forKey: "l"))
        weak var first: DictionaryObject?
        first = array.dictionary(at: 0)
        #expect(first == nil)
        #expect(array.reduce(0) { $0 + (($1 as? DictionaryObject)?.int(forKey: "k") ?? 0) } == 500)
    }

    @Test("setData replaces all values of an array, and nil removes them")
    func setData() {
        let array = MutableArrayObject(data: [1, 2]).setData(["a"])
        #expect(array.toArray() as? [String] == ["a"])
        #expect(array.setData(nil).count == 0)
        #expect(MutableArrayObject(data: nil).count == 0)
    }

    @Test("an index of an array that is out of range raises an exception", arguments: [-1, 2, Int.max, Int.min])
    func range(_ index: Int) throws {
        let array = MutableArrayObject(data: [1, 2])
        let uses: [(MutableArrayObject) -> Void] = [
            { _ = $0.value(at: index) }, { _ = $0.string(at: index) }, { _ = $0.int(at: index) },
            { _ = $0.boolean(at: index) }, { _ = $0.array(at: index) }, { _ = $0.dictionary(at: index) },
            { _ = $0.blob(at: index) }, { _ = $0.date(at: index) }, { $0.setInt(1, at: index) },
            { $0.removeValue(at: index) },
        ]
        for use in uses { #expect(misuse { use(array) }?.name == outOfRange) }
        #expect(misuse { array.insertInt(1, at: index == 2 ? 3 : index) }?.name == outOfRange)
        #expect(array.toArray() as? [Int] == [1, 2])
        let stored = try #require(try stored(["l": [1, 2]]).array(forKey: "l"))
        #expect(misuse { _ = stored.int(at: index) }?.name == outOfRange)
    }

    private func stored(_ data: [String: Any]) throws -> Document {
        try CouchbaseLiteSwiftTests.stored(data)
    }
}
