import Testing

@testable import CouchbaseLiteSwift

@Suite("Fragments")
struct FragmentTests {
    static var data: [String: Any] {
        [
            "s": "x", "i": 5, "d": 1.5, "t": true, "n": NSNull(), "when": Date(timeIntervalSince1970: 2),
            "l": [1, ["k": "deep"]],
            "o": ["p": ["q": 7]],
        ]
    }

    @Test("fragments read the values of their paths")
    func reading() throws {
        for document in [try stored(Self.data), MutableDocument(data: Self.data)] {
            #expect(document["s"].string == "x")
            #expect(document["s"].value as? String == "x")
            #expect(document["i"].int == 5)
            #expect(document["i"].int64 == 5)
            #expect(document["i"].number == 5)
            #expect(document["d"].double == 1.5)
            #expect(document["d"].float == 1.5)
            #expect(document["t"].boolean)
            #expect(document["when"].date == Date(timeIntervalSince1970: 2))
            #expect(document["l"].array?.count == 2)
            #expect(document["o"].dictionary?.count == 1)
            #expect(document["l"][1]["k"].string == "deep")
            #expect(document["o"]["p"]["q"].int == 7)
            #expect(document["n"].exists)
            #expect(document["n"].value is NSNull)
        }
    }

    @Test("fragments of missing paths are empty")
    func missing() throws {
        for document in [try stored(Self.data), MutableDocument(data: Self.data)] {
            let fragments = [
                document["nope"], document["nope"]["x"][3], document["s"]["x"], document["s"][0], document["l"][2],
                document["l"][-1], document["l"]["x"], document["o"][0],
            ]
            for fragment in fragments {
                #expect(!fragment.exists)
                #expect(fragment.value == nil)
                #expect(fragment.string == nil)
                #expect(fragment.number == nil)
                #expect(fragment.int == 0)
                #expect(fragment.int64 == 0)
                #expect(fragment.double == 0)
                #expect(fragment.float == 0)
                #expect(!fragment.boolean)
                #expect(fragment.date == nil)
                #expect(fragment.blob == nil)
                #expect(fragment.array == nil)
                #expect(fragment.dictionary == nil)
            }
        }
    }

    @Test("fragments of mutable documents can be set")
    func setting() throws {
        let document = try stored(Self.data).toMutable()
        document["s"].string = "y"
        document["new"].int = 3
        document["i"].int64 = 6
        document["d"].double = 2.5
        document["f"].float = 3.5
        document["t"].boolean = false
        document["number"].number = 8
        document["when"].date = Date(timeIntervalSince1970: 3)
        document["any"].value = ["x": 1]
        document["l"][1]["k"].string = "deeper"
        document["l"][0].value = nil
        document["o"]["p"]["r"].array = MutableArrayObject().addInt(1)
        document["o"]["sub"].dictionary = MutableDictionaryObject().setInt(2, forKey: "z")
        document["o"]["sub"]["z"].int = 3
        let expected = """
            {"any":{"x":1},"d":2.5,"f":3.5,"i":6,"l":[null,{"k":"deeper"}],"n":null,"new":3,"number":8,\
            "o":{"p":{"q":7,"r":[1]},"sub":{"z":3}},"s":"y","t":false,"when":"1970-01-01T00:00:03.000Z"}
            """
        #expect(try canonical(DocumentCodec().roundTrip(document).toDictionary()) == expected)
    }

    @Test("setting a fragment whose parent does not exist has no effect")
    func settingNowhere() throws {
        let document = MutableDocument(data: ["l": [1], "s": "x"])
        document["nope"]["x"].int = 1
        document["s"]["x"].int = 1
        document["l"][1].int = 1
        document["l"][-1].int = 1
        document["l"]["x"].int = 1
        #expect(try canonical(document.toDictionary()) == #"{"l":[1],"s":"x"}"#)
    }

    @Test("fragments of an array follow its changes")
    func changingArray() {
        let document = MutableDocument(data: ["l": [1, 2]])
        let (last, next) = (document["l"][1], document["l"][2])
        document.array(forKey: "l")?.removeValue(at: 0)
        #expect(!last.exists)
        #expect(last.int == 0)
        #expect(last.array == nil)
        last.int = 7
        #expect(document.array(forKey: "l")?.toArray() as? [Int] == [2])
        document.array(forKey: "l")?.addInt(3).addInt(4)
        #expect(next.int == 4)
        next.int = 5
        #expect(document.array(forKey: "l")?.toArray() as? [Int] == [2, 3, 5])
    }

    @Test("a document fragment states whether its document exists")
    func documents() throws {
        let found = DocumentFragment(try stored(Self.data))
        #expect(found.exists)
        #expect(found.document?.id == "doc")
        #expect(found["o"]["p"]["q"].int == 7)
        let missing = DocumentFragment(nil)
        #expect(!missing.exists)
        #expect(missing.document == nil)
        #expect(!missing["o"]["p"].exists)
    }
}
