import TestSupport
import Testing

@testable import Fleece

@Suite("Encoding of continued data")
struct ContinuationEncodingTests {
    private let mark: [UInt8] = [0, 0, 0, 0]

    private func encode(
        _ data: [UInt8],
        sharesStrings: Bool = true,
        _ write: (inout Encoder, Int) -> Void
    ) throws -> [UInt8] {
        var encoder = Encoder()
        return try data.withUnsafeBytes { bytes in
            encoder.beginContinuation(of: bytes, mark: mark, sharesStrings: sharesStrings)
            write(&encoder, Value(root: bytes)?.position ?? 0)
            return try encoder.finishContinuation(of: data.count)
        }
    }

    private func bytes(_ json: String) throws -> [UInt8] {
        let data = try JSON.fleece(json)
        return withExtendedLifetime(data) { Array(data.bytes) }
    }

    private func json(_ data: [UInt8], _ continuation: [UInt8]) throws -> String {
        let joined = try FleeceData(data, continuedBy: continuation)
        return try joined.withRoot { root throws(FleeceError) in try JSON.string(root) } ?? ""
    }

    private func json(_ data: [UInt8]) throws -> String {
        try FleeceData(data).withRoot { root throws(FleeceError) in try JSON.string(root) } ?? ""
    }

    @Test("a continuation refers to values and to short strings of the data")
    func references() throws {
        let data = try bytes(#"{"name":"Hal","n":1}"#)
        let continuation = try encode(data) { encoder, root in
            encoder.beginArray()
            encoder.writePointer(to: root)
            encoder.write("Hal")
            encoder.write("new")
            encoder.write("new")
            encoder.endArray()
        }
        #expect(try json(data, continuation) == #"[{"n":1,"name":"Hal"},"Hal","new","new"]"#)
        // The mark, one string, four pointers in an array, and the root.
        #expect(continuation.count == 4 + 4 + 2 + 8 + 2)
    }

    @Test("strings are written again if they shall not be shared")
    func unshared() throws {
        let data = try bytes(#"["text"]"#)
        let continuation = try encode(data, sharesStrings: false) { encoder, _ in
            encoder.beginArray()
            encoder.write("text")
            encoder.endArray()
        }
        #expect(try json([], continuation) == #"["text"]"#)
    }

    @Test("pointers that lead far into the data are wide")
    func wide() throws {
        let data = try bytes("[\"first\",\"\(String(repeating: "x", count: 70_000))\"]")
        let first = 0
        let continuation = try encode(data) { encoder, _ in
            encoder.beginArray()
            encoder.writePointer(to: first)
            encoder.write("first")
            encoder.endArray()
        }
        #expect(try json(data, continuation) == #"["first","first"]"#)
    }

    @Test("a pointer out of the data, and data of an odd length, are errors")
    func errors() throws {
        let data = try bytes(#"["text"]"#)
        for position in [-2, 1, 1000] {
            #expect(throws: FleeceError(.badPointer)) { try encode(data) { encoder, _ in encoder.writePointer(to: position) } }
        }
        #expect(throws: FleeceError.self) { try encode([0x70, 0, 0]) { encoder, _ in encoder.writeNull() } }
    }

    @Test("random values after random data are read as they were written")
    func random() throws {
        for seed in 0..<200 {
            var generator = RandomValues(seed: TestSeed.forThisTest() &+ UInt64(seed))
            var encoder = Encoder()
            generator.writeDictionary(into: &encoder, depth: 3, onlyJSON: true)
            let data = try encoder.finishedBytes()
            generator.writeDictionary(into: &encoder, depth: 3, onlyJSON: true)
            let other = try encoder.finishedBytes()
            let continuation = try encode(data) { encoder, root in
                encoder.beginArray()
                encoder.writePointer(to: root)
                other.withUnsafeBytes { if let value = Value(root: $0) { encoder.write(value, keys: .same) } }
                encoder.endArray()
            }
            #expect(try json(data, continuation) == "[\(try json(data)),\(try json(other))]")
        }
    }
}
