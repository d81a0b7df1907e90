import Testing

@testable import CouchbaseLiteSwift

@Suite("Conversion of values that are set")
struct MisuseTests {
    struct UnsupportedValue {}

    @Test("setting a value of an invalid type raises an exception that names the type")
    func strangers() {
        let document = MutableDocument()
        let uses: [() -> Void] = [
            { document.setValue(UnsupportedValue(), forKey: "a") }, { document.setData(["a": [1, UnsupportedValue()]]) },
            { _ = MutableDocument(data: ["a": ["b": UnsupportedValue()]]) }, { _ = MutableArrayObject(data: [UnsupportedValue()]) },
            { _ = MutableDictionaryObject(data: ["a": UnsupportedValue()]) }, { document["x"].value = UnsupportedValue() },
        ]
        for use in uses {
            let reported = misuse(use)
            #expect(reported?.name == inconsistency)
            #expect(reported?.reason.contains("UnsupportedValue is not a valid type") == true)
        }
        #expect(document.count == 0)
    }

    @Test("a document passed to a replication filter cannot be made mutable")
    func filtered() throws {
        let document = try stored(["a": 1])
        document.forbidMutableCopies()
        #expect(document.int(forKey: "a") == 1)
        let reported = misuse { _ = document.toMutable() }
        #expect(reported?.name == inconsistency)
        #expect(reported?.reason == "Documents from a replication filter cannot be edited.")
    }

    @Test("absent optionals, NSNull and NSString are valid values")
    func valid() throws {
        let absent: String? = nil
        let present: Int? = 4
        let document = try stored(["a": absent as Any, "b": present as Any, "c": NSString("s"), "d": NSNull()])
        #expect(document.toJSON().count > 2)
        #expect(document.value(forKey: "a") is NSNull)
        #expect(document.int(forKey: "b") == 4)
        #expect(document.string(forKey: "c") == "s")
        #expect(document.value(forKey: "d") is NSNull)
    }

    @Test("data and dictionaries that describe blobs become blobs")
    func blobs() {
        let document = MutableDocument()
            .setValue(Data([1, 2, 3]), forKey: "data")
            .setValue(["@type": "blob", "digest": "sha1-x", "length": 3, "content_type": "t"], forKey: "blob")
            .setValue(["@type": "blob"], forKey: "plain")
        #expect(document.blob(forKey: "data")?.contentType == "application/octet-stream")
        #expect(document.blob(forKey: "data")?.content == Data([1, 2, 3]))
        #expect(document.blob(forKey: "blob")?.digest == "sha1-x")
        #expect(document.dictionary(forKey: "plain") != nil)
    }
}
