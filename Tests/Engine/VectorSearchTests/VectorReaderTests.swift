import Testing
import VectorSearch

/// The forms of vectors (Vector search VV-1…9, T-6, T-7).
@Suite("Vector reader")
struct VectorReaderTests {
    private func bytes(_ floats: [Float]) -> [UInt8] { floats.vectorBytes }

    private func read(_ bytes: [UInt8], _ dimensions: Int? = nil) throws -> [Float] {
        try bytes.withUnsafeBytes { try VectorReader.vector(bytes: $0, dimensions: dimensions) }
    }

    private func read(base64 text: String, _ dimensions: Int? = nil) throws -> [Float] {
        try Array(text.utf8).withUnsafeBytes { try VectorReader.vector(base64: $0, dimensions: dimensions) }
    }

    @Test("bytes are little endian floats")
    func bytesAreLittleEndianFloats() throws {
        #expect(try read([0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0]) == [1, -2])
        #expect(bytes([1, -2]) == [0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0])
    }

    @Test("base64 is read with and without padding and with space around")
    func base64IsReadWithAndWithoutPaddingAndWithSpaceAround() throws {
        for text in ["AACAPwAAAMA=", "AACAPwAAAMA", " \n\tAACAPwAAAMA=\r\n"] { #expect(try read(base64: text) == [1, -2]) }
    }

    @Test("texts that are not base64 are no vectors")
    func textsThatAreNotBase64AreNoVectors() {
        for text in ["", " ", "=", "====", "AACAPwAAAMA==", "AACAPw-_", "AACAPwAA AMA=", "A", "AACAPwAAAMAAA", "ÄÖÜ", "AACA"] {
            #expect(throws: VectorProblem.wrongLength, "\(text)") { try read(base64: text) }
        }
    }

    @Test("a count of bytes that is no multiple of four is no vector")
    func aCountOfBytesThatIsNoMultipleOfFourIsNoVector() {
        for count in [0, 1, 5, 7, 11] {
            #expect(throws: VectorProblem.wrongLength) { try read(Array(repeating: 0, count: count)) }
        }
    }

    @Test("a vector has two to 4096 components and those of the index")
    func aVectorHasTwoTo4096ComponentsAndThoseOfTheIndex() throws {
        #expect(throws: VectorProblem.wrongDimensions) { try read(bytes([1])) }
        #expect(throws: VectorProblem.wrongDimensions) { try read(bytes([1, 2, 3]), 2) }
        #expect(try read(bytes(Array(repeating: 1, count: 4096))).count == 4096)
        #expect(throws: VectorProblem.wrongDimensions) { try read(bytes(Array(repeating: 1, count: 4097))) }
    }

    @Test("components must be finite and minus zero becomes zero")
    func componentsMustBeFiniteAndMinusZeroBecomesZero() throws {
        for component in [Float.nan, .infinity, -.infinity, Float(1e39)] {
            #expect(throws: VectorProblem.notFinite) { try read(bytes([1, component])) }
        }
        #expect(try read(bytes([-0.0, .leastNonzeroMagnitude])).map(\.bitPattern) == [0, 1])
    }
}
