import Testing

@testable import WebServer

@Suite("Ranges of bytes")
struct ByteRangeTests {
    private static let far = "99999999999999999999"

    @Test(
        "a range is cut at the end of the content",
        arguments: [
            ("bytes=0-3", 0..<4), ("bytes=4-", 4..<16), ("bytes=-4", 12..<16), ("bytes=2-999999", 2..<16), ("bytes=15-15", 15..<16),
            ("bytes=0-\(far)", 0..<16), ("bytes=-\(far)", 0..<16), ("bytes=-16", 0..<16), ("bytes=0000-0001", 0..<2),
        ] as [(String, Range<UInt64>)]
    )
    func part(_ field: String, _ expected: Range<UInt64>) {
        #expect(ByteRange(field, size: 16) == .part(expected))
    }

    @Test(
        "the unit is case-insensitive, and the list may have spaces and empty elements",
        arguments: ["Bytes=0-3", "BYTES=0-3", "bytes= 0-3", "bytes=0-3 ", "bytes=,0-3", "bytes= , \t0-3 ,,"]
    )
    func listForms(_ field: String) {
        #expect(ByteRange(field, size: 16) == .part(0..<4))
    }

    @Test(
        "a field that is invalid, has several ranges or another unit requests the whole content",
        arguments: [
            "bytes=3-2", "bytes=a-b", "bytes=+1-2", "bytes=1-+2", "bytes=1 -2", "bytes=-", "bytes=", "bytes=,", "bytes", "", "0-1",
            "bytes=0-1,3-4", "bytes=0-1-2", "bytes=--1", "bytes=5", "lines=0-1", "bytes =0-1", " bytes=0-1", "bytes=0-0x1",
            "bytes=\u{661}-2",
        ]
    )
    func ignored(_ field: String) {
        #expect(ByteRange(field, size: 16) == .whole)
        #expect(ByteRange(field, size: 0) == .whole)
    }

    @Test("a request without the field is for the whole content")
    func noField() {
        #expect(ByteRange(nil, size: 16) == .whole)
        #expect(ByteRange.whole.contentRange(ofSize: 16) == nil)
    }

    @Test(
        "a range that begins after the end, or has no bytes, cannot be satisfied",
        arguments: ["bytes=16-", "bytes=16-20", "bytes=\(far)-", "bytes=-0"]
    )
    func unsatisfiable(_ field: String) {
        #expect(ByteRange(field, size: 16) == .unsatisfiable)
    }

    @Test("of an empty content, only its end can be requested, which is the whole content")
    func emptyContent() {
        #expect(ByteRange("bytes=-5", size: 0) == .whole)
        #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRange("bytes=-0", size: 0) == .unsatisfiable)
    }

    @Test("a response states the part and the size of the content")
    func contentRange() {
        #expect(ByteRange.part(12..<16).contentRange(ofSize: 16) == "bytes 12-15/16")
        #expect(ByteRange.unsatisfiable.contentRange(ofSize: 16) == "bytes */16")
    }
}
