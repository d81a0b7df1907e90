import Testing

@testable import CouchbaseLiteSwift

@Suite("JSON of documents and containers")
struct JSONTests {
    static let json = #"{"a":1,"b":[1.5,"x/y",null,true],"c":{"d":-7},"e":18446744073709551615,"ä":"\u0001"}"#

    @Test("JSON can be read into documents, dictionaries and arrays, and written back")
    func roundTrip() throws {
        let document = try MutableDocument(id: "d", json: Self.json)
        #expect(document.id == "d")
        #expect(document.int(forKey: "a") == 1)
        #expect(document["b"][0].double == 1.5)
        #expect(document["c"]["d"].int == -7)
        #expect(document.value(forKey: "e") as? UInt64 == .max)
        let saved = try DocumentCodec().roundTrip(document)
        #expect(saved.toJSON() == Self.json)
        #expect(saved.dictionary(forKey: "c")?.toJSON() == #"{"d":-7}"#)
        #expect(saved.array(forKey: "b")?.toJSON() == #"[1.5,"x/y",null,true]"#)
        #expect(try MutableDocument(json: Self.json).id.count == 23)
        #expect(try MutableDictionaryObject(json: Self.json).dictionary(forKey: "c")?.int(forKey: "d") == -7)
        #expect(try MutableArrayObject(json: "[1,[2]]").array(at: 1)?.int(at: 0) == 2)
    }

    @Test("properties set from JSON can be edited")
    func editing() throws {
        let document = MutableDocument().setInt(1, forKey: "old")
        try document.setJSON(#"{"a":{"x":1},"l":[1]}"#)
        #expect(!document.contains(key: "old"))
        document.dictionary(forKey: "a")?.setInt(2, forKey: "x")
        document.array(forKey: "l")?.addInt(2)
        #expect(try DocumentCodec().roundTrip(document).toJSON() == #"{"a":{"x":2},"l":[1,2]}"#)
    }

    @Test("the JSON of floats and doubles keeps a fraction or an exponent")
    func numbers() throws {
        let document = MutableDocument().setDouble(5, forKey: "a").setFloat(0.1, forKey: "b").setDouble(1e20, forKey: "c")
        #expect(try DocumentCodec().roundTrip(document).toJSON() == #"{"a":5.0,"b":0.1,"c":1e+20}"#)
    }

    @Test(
        "JSON that is not an object is refused, and the document is not changed",
        arguments: ["", " ", "[]", "1", "null", "\"x\"", "{", "{\"a\":}", "{\"a\":1} x", "{'a':1}"]
    )
    func refused(_ json: String) {
        let document = MutableDocument().setInt(1, forKey: "kept")
        func code(_ body: () throws -> Void) -> Int? {
            do {
                try body()
                return nil
            } catch let error as NSError {
                #expect(error.domain == CBLError.domain)
                return error.code
            }
        }
        #expect(code { try document.setJSON(json) } == CBLError.invalidJSON)
        #expect(code { _ = try MutableDocument(json: json) } == CBLError.invalidJSON)
        #expect(code { _ = try MutableDictionaryObject(json: json) } == CBLError.invalidJSON)
        #expect(document.int(forKey: "kept") == 1)
        if json != "[]" { #expect(code { _ = try MutableArrayObject(json: json) } == CBLError.invalidJSON) }
    }

    @Test("an array refuses the JSON of an object")
    func arrayRefusesObject() {
        #expect(throws: NSError.self) { try MutableArrayObject(json: "{}") }
        #expect(throws: NSError.self) { try MutableArrayObject().setJSON("{}") }
    }

    @Test("the JSON of a mutable document or container raises an exception")
    func mutable() throws {
        #expect(misuse { _ = MutableDocument().toJSON() }?.name == inconsistency)
        #expect(misuse { _ = MutableDictionaryObject().toJSON() }?.name == inconsistency)
        #expect(misuse { _ = MutableArrayObject().toJSON() }?.name == inconsistency)
        let copy = try stored(["d": ["x": 1]]).toMutable()
        #expect(misuse { _ = copy.dictionary(forKey: "d")?.toJSON() }?.name == inconsistency)
    }
}
