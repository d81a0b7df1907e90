import Testing

@testable import Base

@Suite("Bytes in hexadecimal")
struct HexEncodingTests {
    @Test("each byte is written as two lowercase digits")
    func digits() {
        let bytes: [UInt8] = [0, 9, 10, 16, 0xA5, 0xFF]
        #expect(bytes.hexadecimal == "00090a10a5ff")
        #expect(bytes.prefix(0).hexadecimal == "")
    }
}
