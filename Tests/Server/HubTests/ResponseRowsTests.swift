#if Replication
import Fleece
import Foundation
import Synchronization
import Testing
import WebServer

@testable import Hub

@Suite("Lists of rows that are sent while they are made")
struct ResponseRowsTests {
    /// What was sent.
    private final class Sent: Sendable {
        private let parts = Mutex<[[UInt8]]>([])

        var writer: WebResponseWriter { WebResponseWriter { part in self.parts.withLock { $0.append(part) } } }
        var sizes: [Int] { parts.withLock { $0.map(\.count) } }
        var text: String { String(decoding: parts.withLock { $0.joined() }, as: UTF8.self) }
    }

    private func text(_ name: String?, _ rows: [String], end: (inout JSONWriter) -> Void) async throws -> String {
        let sent = Sent()
        var list = ResponseRows(name, to: sent.writer)
        for row in rows { try await list.write(Array(row.utf8)) }
        try await list.end(end)
        return sent.text
    }

    @Test("each row of an object is a line that ends with the comma")
    func lines() async throws {
        let text = try await text("rows", [#"{"a":1}"#, #"{"a":2}"#]) { $0.member("count", 2) }
        #expect(text == "{\"rows\":[\r\n{\"a\":1},\r\n{\"a\":2}\r\n],\r\n\"count\":2}\r\n")
    }

    @Test(
        "a list is valid JSON whether it has rows or not, and whether members follow or not",
        arguments: [nil, "rows"] as [String?],
        [0, 1, 3]
    )
    func valid(name: String?, count: Int) async throws {
        let rows = (0..<count).map { "\($0)" }
        for hasMembers in [false, true] {
            let text = try await text(name, rows) { if hasMembers { $0.member("last", 7) } }
            let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let array = name == nil ? json as? [Int] : (json as? [String: Any])?["rows"] as? [Int]
            #expect(array == Array(0..<count))
            if name != nil { #expect((json as? [String: Any])?["last"] as? Int == (hasMembers ? 7 : nil)) }
        }
    }

    @Test("small rows are sent together, and a large row, or one whose memory is counted, is sent at once after those before it")
    func parts() async throws {
        let sent = Sent()
        var list = ResponseRows(to: sent.writer)
        let row = [UInt8](repeating: UInt8(ascii: "1"), count: 1000)
        for _ in 0..<20 { try await list.write(row) }
        // With the bracket, and the commas between them.
        #expect(sent.sizes == [1 + 16 * 1000 + 15])
        try await list.write(row, isCounted: true)
        #expect(sent.sizes.dropFirst() == [4 * 1000 + 4, 1001])
        try await list.write([UInt8](repeating: UInt8(ascii: "2"), count: ResponseRows.partSize))
        #expect(sent.sizes.dropFirst(3) == [ResponseRows.partSize + 1])
        #expect(list.count == 22)
        try await list.flush()
        #expect(sent.sizes.count == 4)
        try await list.end()
        #expect(sent.sizes.last == 1 && sent.text.utf8.count == 21 * 1000 + ResponseRows.partSize + 23)
    }
}
#endif
