import Fleece
import Testing

@Suite("Scalar values")
struct ScalarValueTests {
    @Test("scalars are read with their type, and written so that the data is the same")
    func copies() throws {
        let data = try JSON.fleece(#"[null,true,-1,18446744073709551615,1.5,1e300,"text"]"#)
        let array = try #require(data.root?.array)
        let scalars = try (0..<array.count).map { try #require(array[$0].flatMap(ScalarValue.init)) }
        #expect(scalars.map(\.int64) == [0, 1, -1, .max, 1, .max, 0])
        #expect(scalars.map(\.double) == [0, 1, -1, Double(UInt64.max), 1.5, 1e300, 0])
        #expect(scalars.map(\.float) == [0, 1, -1, Float(UInt64.max), 1.5, .infinity, 0])
        #expect(scalars.map(\.boolean) == [false, true, true, true, true, true, true])
        #expect(scalars.map(\.string) == [nil, nil, nil, nil, nil, nil, "text"])
        var encoder = Encoder()
        encoder.beginArray()
        for scalar in scalars { encoder.write(scalar) }
        encoder.endArray()
        let copy = try encoder.finishedData()
        withExtendedLifetime((copy, data)) { #expect(copy.bytes.elementsEqual(data.bytes)) }
    }

    @Test("arrays and dictionaries are no scalars, but true")
    func containers() throws {
        for json in ["[]", "{}", "[1]"] {
            let data = try JSON.fleece(json)
            let root = try #require(data.root)
            #expect(ScalarValue(root) == nil)
            #expect(root.isTrue)
        }
    }
}
