import Fleece
import TestSupport
import Testing

@Suite("Deltas")
struct DeltaTests {
    private func apply(_ delta: String, to old: String) throws -> String {
        let deltaData = try JSON.fleece(delta, allowingFragments: true)
        let oldData = try JSON.fleece(old, allowingFragments: true)
        return try Self.apply(deltaData, to: oldData).json()
    }

    private static func apply(_ delta: FleeceData, to old: FleeceData) throws -> FleeceData {
        var encoder = Encoder()
        try Delta.apply(#require(delta.root), to: #require(old.root), into: &encoder)
        return try withExtendedLifetime((delta, old)) { try encoder.finishedData() }
    }

    private func create(_ old: String, _ new: String) throws -> String {
        let oldData = try JSON.fleece(old, allowingFragments: true)
        let newData = try JSON.fleece(new, allowingFragments: true)
        return try withExtendedLifetime((oldData, newData)) {
            String(decoding: try Delta.json(from: #require(oldData.root), to: #require(newData.root)), as: UTF8.self)
        }
    }

    static let long = "Some text that is long enough to be edited, since sixty bytes is where that begins."
    static let created: [(old: String, new: String, delta: String)] = [
        (#"{"a":1}"#, #"{"a":1}"#, "{}"), ("[1,2]", "[1,2]", "{}"), ("1", "1", "{}"), ("[]", "[]", "{}"),
        (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"b":2}"#),
        (#"{"a":1,"b":2}"#, #"{"a":1}"#, #"{"b":[]}"#), (#"{"a":1}"#, "{}", #"{"a":[]}"#),
        (#"{"a":1}"#, #"{"a":[1]}"#, #"{"a":[[1]]}"#), (#"{"a":1}"#, #"{"a":{"b":1}}"#, #"{"a":[{"b":1}]}"#),
        (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":3}}"#, #"{"a":{"c":3}}"#),
        (#"{"a":[]}"#, #"{"a":[1]}"#, #"{"a":[[1]]}"#), (#"{"a":[1]}"#, #"{"a":[]}"#, #"{"a":[[]]}"#),
        ("[1,2,3]", "[1,5,3]", #"{"1":5}"#), ("[1,2,3]", "[1]", #"{"1-":[]}"#), ("[1]", "[1,2,3]", #"{"1-":[2,3]}"#),
        ("[1,2]", "[4,2,6]", #"{"0":4,"2-":[6]}"#), (#"[{"a":1}]"#, #"[{"a":2}]"#, #"{"0":{"a":2}}"#),
        ("1", "2", "[2]"), (#"{"a":1}"#, "[1]", "[[1]]"), (#"{"a":null}"#, #"{"a":false}"#, #"{"a":false}"#),
        (#"{"a":"one two three"}"#, #"{"a":"one 2 three"}"#, #"{"a":"one 2 three"}"#),
        (#"{"a":1}"#, #"{"a":1.0}"#, #"{"a":1.0}"#), (#"{"a":1.5}"#, #"{"a":1.5}"#, "{}"),
        ("{\"a\":\"\(long)\"}", "{\"a\":\"\(long)!\"}", #"{"a":["83=1+!|",0,2]}"#),
        ("\"\(long)\"", "\"\(long.replacing("text", with: "words"))\"", #"["5=4-5+words|74=",0,2]"#),
    ]

    @Test("created deltas have the form of the specification, and can be applied", arguments: created.indices)
    func creating(_ index: Int) throws {
        let (old, new, delta) = Self.created[index]
        #expect(try create(old, new) == delta)
        #expect(try apply(delta, to: old) == new)
    }

    static let applied: [(old: String, delta: String, new: String)] = [
        (#"{"a":1}"#, #"{"a":[5,7]}"#, #"{"a":7}"#), (#"{"a":1,"b":2}"#, #"{"a":[1,0,0]}"#, #"{"b":2}"#),
        (#"{"a":"one two three"}"#, #"{"a":["4=3-1+2|6=",0,2]}"#, #"{"a":"one 2 three"}"#),
        (#"{"a":"été"}"#, #"{"a":["2-1+e|1=2=",0,2]}"#, #"{"a":"eté"}"#),
        (#"{"a":"x"}"#, #"{"a":["1=5+a|b=c|",0,2]}"#, #"{"a":"xa|b=c"}"#),
        ("5", "7", "7"), ("[1,2]", "{}", "[1,2]"), ("[1,2]", #"{"1":[]}"#, "[1,null]"),
        ("[1]", #"{"0-":[2,3]}"#, "[2,3]"), ("[]", #"{"0-":[2]}"#, "[2]"), ("[1,2]", #"{"2-":[3]}"#, "[1,2,3]"),
        (#"{"a":{}}"#, #"{"a":{"b":[{"c":1}]}}"#, #"{"a":{"b":{"c":1}}}"#),
    ]

    @Test("deltas in all forms of the specification can be applied", arguments: applied.indices)
    func applying(_ index: Int) throws {
        let (old, delta, new) = Self.applied[index]
        #expect(try apply(delta, to: old) == new)
    }

    static let refused: [(old: String, delta: String, reason: DeltaError.Reason, path: [String])] = [
        (#"{"a":1}"#, "[]", .nothingToDelete, []), (#"{"a":1}"#, #"{"b":[]}"#, .nothingToDelete, ["b"]),
        (#"{"a":1}"#, #"{"b":[1,0,0]}"#, .nothingToDelete, ["b"]), (#"{"a":1}"#, #"{"b":{}}"#, .nothingToChange, ["b"]),
        (#"{"a":1}"#, #"{"a":{"b":1}}"#, .nothingToChange, ["a"]), (#"{"a":1}"#, #"{"a":[1,0,1]}"#, .badForm, ["a"]),
        (#"{"a":1}"#, #"{"a":[1,1,0]}"#, .badForm, ["a"]), (#"{"a":1}"#, #"{"a":[1,2,3,4]}"#, .badForm, ["a"]),
        (#"{"a":1}"#, #"{"a":[1,0,2]}"#, .badForm, ["a"]), (#"{"a":1}"#, #"{"a":["1=",0,2]}"#, .notText, ["a"]),
        (#"{"a":1}"#, #"{"b":["1=",0,2]}"#, .notText, ["b"]),
        ("[1]", #"{"1":2}"#, .badIndex, ["1"]), ("[1]", #"{"2-":[2]}"#, .badIndex, ["2-"]),
        ("[1]", #"{"00":2}"#, .badIndex, ["00"]), ("[1]", #"{"-1":2}"#, .badIndex, ["-1"]),
        ("[1]", #"{"":2}"#, .badIndex, [""]), ("[1]", #"{"-":2}"#, .badIndex, ["-"]),
        ("[1]", #"{"x":2}"#, .badIndex, ["x"]),
        ("[1]", #"{"18446744073709551616":2}"#, .badIndex, ["18446744073709551616"]),
        ("[1,2]", #"{"0-":[],"1-":[]}"#, .badIndex, ["1-"]), ("[1,2]", #"{"0-":[],"1":3}"#, .badIndex, ["1"]),
        ("[1,2]", #"{"1-":3}"#, .badRest, ["1-"]),
        (#"{"a":[{"b":{"c":"x"}}]}"#, #"{"a":{"0":{"b":{"c":["",0,2]}}}}"#, .badTextEdit, ["a", "0", "b", "c"]),
    ]

    @Test("an invalid delta is refused with the path of the error", arguments: refused.indices)
    func refusing(_ index: Int) throws {
        let (old, delta, reason, path) = Self.refused[index]
        let error = #expect(throws: DeltaError.self) { try apply(delta, to: old) }
        #expect(error?.reason == reason)
        #expect(error?.path == path)
    }

    @Test(
        "text edits that do not fit the text are refused",
        arguments: [
            "", "=", "5", "5x", "4=", "6=", "5=1", "5=1+", "5=1+a", "5=1+ab|", "5=2+a|", "-5=", "5=0-=",
            "99999999999999999999=",
            "9223372036854775807=", "9223372036854775807-5=", "5=9223372036854775807+a|", "1=1=1=1=2=", "5=1=", "5= ",
            "5=+|",
            "1+\u{0}|4=", "1=1-3=",
        ]
    )
    func badTextEdits(_ edit: String) throws {
        let old = try FleeceData.encoded { $0.write("aé12") }
        let delta = try FleeceData.encoded { encoder in
            encoder.beginArray()
            encoder.write(edit)
            encoder.write(Int64(0))
            encoder.write(Int64(2))
            encoder.endArray()
        }
        let error = #expect(throws: DeltaError.self) { try Self.apply(delta, to: old) }
        #expect(error?.reason == .badTextEdit)
    }

    @Test("the old value, the new value and the delta can each have their own shared keys")
    func sharedKeys() throws {
        let oldKeys = MutableSharedKeys(.empty)
        let newKeys = MutableSharedKeys(SharedKeys(["unrelated", "city"]))
        let old = try JSON.fleece(#"{"name":"Ann","address":{"city":"Rome","zip":1},"gone":1}"#, sharedKeys: oldKeys)
        let new = try JSON.fleece(#"{"address":{"city":"Bonn","zip":1},"name":"Ann","new":2}"#, sharedKeys: newKeys)
        let deltaKeys = MutableSharedKeys(SharedKeys(["x", "y"]))
        var encoder = Encoder(sharedKeys: deltaKeys)
        try withExtendedLifetime((old, new)) {
            try Delta.write(from: #require(old.root), oldKeys.snapshot, to: #require(new.root), newKeys.snapshot, into: &encoder)
        }
        let delta = try encoder.finishedData()
        #expect(try delta.json(deltaKeys.snapshot, form: .canonical) == #"{"address":{"city":"Bonn"},"gone":[],"new":2}"#)
        for keepsNumbers in [true, false] {
            var result = Encoder(sharedKeys: oldKeys)
            try withExtendedLifetime((old, delta)) {
                try Delta.apply(
                    #require(delta.root),
                    deltaKeys.snapshot,
                    to: #require(old.root),
                    oldKeys.snapshot,
                    oldKeysAreEncoders: keepsNumbers,
                    into: &result
                )
            }
            let applied = try result.finishedData()
            #expect(try applied.json(oldKeys.snapshot, form: .canonical) == new.json(newKeys.snapshot, form: .canonical))
        }
    }

    @Test("a delta between random values converts one into the other")
    func randomPairs() throws {
        let seed = TestSeed.forThisTest()
        var random = RandomValues(seed: seed)
        for _ in 0..<1500 {
            let old = try FleeceData.encoded { random.write(into: &$0, depth: 4, size: 5) }
            let new = try FleeceData.encoded { random.write(into: &$0, depth: 4, size: 5) }
            var encoder = Encoder()
            try withExtendedLifetime((old, new)) {
                try Delta.write(from: #require(old.root), to: #require(new.root), into: &encoder)
            }
            let delta = try encoder.finishedData()
            let applied = try Self.apply(delta, to: old)
            #expect(try applied.json() == new.json(), "seed \(seed)")
        }
    }

    @Test("a delta between random texts converts one into the other")
    func randomTexts() throws {
        let seed = TestSeed.forThisTest()
        var random = RandomValues(seed: seed)
        let alphabet = Array("abcdeéü€😀|=+-0")
        func text(_ count: Int) -> [Character] {
            (0..<count).map { _ in alphabet[random.number(0...(alphabet.count - 1))] }
        }
        for _ in 0..<400 {
            let old = text(random.number(40...300))
            var new = old
            for _ in 0..<random.number(1...12) {
                let place = random.number(0...(new.count - 1))
                let end = min(new.count, place + random.number(0...5))
                new.replaceSubrange(place..<end, with: text(random.number(0...4)))
                if new.isEmpty { new = text(60) }
            }
            let oldData = try FleeceData.encoded { $0.write(String(old)) }
            let newData = try FleeceData.encoded { $0.write(String(new)) }
            let delta = try withExtendedLifetime((oldData, newData)) {
                try Delta.json(from: #require(oldData.root), to: #require(newData.root))
            }
            let parsed = try delta.withUnsafeBytes { bytes in try JSON.fleece(bytes) }
            #expect(try Self.apply(parsed, to: oldData).json() == newData.json(), "seed \(seed)")
            #expect(delta.count <= String(new).utf8.count + 20 + 4 * new.count)
        }
    }

    @Test("a small change in a long text gives a small delta, and a complete change gives a delta that can be applied")
    func longTexts() throws {
        let words = (0..<20000).map { "word\($0)" }
        var changed = words
        changed[100] = "changed"
        changed[19000] = "é"
        let small = try create("\"\(words.joined(separator: " "))\"", "\"\(changed.joined(separator: " "))\"")
        #expect(small.utf8.count < 100)
        let other = String(words.joined(separator: " ").reversed())
        let whole = try create("\"\(words.joined(separator: " "))\"", "\"\(other)\"")
        #expect(try apply(whole, to: "\"\(words.joined(separator: " "))\"") == "\"\(other)\"")
    }

    @Test("damaged deltas do not crash, and give an error or a valid value")
    func mutations() throws {
        let seed = TestSeed.forThisTest()
        var random = RandomValues(seed: seed)
        let old = try JSON.fleece(#"{"a":[1,2,{"b":"some text"}],"c":"text","d":{"e":{}}}"#)
        let template = Array(#"{"a":{"0":5,"2":{"b":["4=1-4=",0,2]},"3-":[1]},"c":["4-2+xy|",0,2],"d":{"e":[]}}"#.utf8)
        let alphabet = Array("0123456789-+=|[]{},\"ae".utf8)
        for _ in 0..<10000 {
            var text = template
            for _ in 0..<random.number(1...3) {
                text[random.number(0...(text.count - 1))] = alphabet[random.number(0...(alphabet.count - 1))]
            }
            guard let delta = text.withUnsafeBytes({ bytes in try? JSON.fleece(bytes) }) else { continue }
            if let result = try? Self.apply(delta, to: old) {
                #expect(throws: Never.self, "seed \(seed)") { try Validator.validate(result.bytes) }
            }
        }
    }
}
