#if Replication
import Fleece
import Foundation
import Testing

@testable import Hub

@Suite("Lists of rows that are sent one by one")
struct RowListTests {
    private func text(of list: RowList, _ rows: [String], end: (inout RowList) -> [UInt8]) -> String {
        var list = list
        var bytes = list.start
        for row in rows { bytes += list.next(Array(row.utf8)) }
        return String(decoding: bytes + end(&list), as: UTF8.self)
    }

    @Test("each row of an object is a line that ends with the comma")
    func lines() {
        let text = text(of: RowList("rows"), [#"{"a":1}"#, #"{"a":2}"#]) { list in list.end { $0.member("count", 2) } }
        #expect(text == "{\"rows\":[\r\n{\"a\":1},\r\n{\"a\":2}\r\n],\r\n\"count\":2}\r\n")
    }

    @Test(
        "a list is valid JSON whether it has rows or not, and whether members follow or not",
        arguments: [nil, "rows"] as [String?],
        [0, 1, 3]
    )
    func valid(name: String?, count: Int) throws {
        let rows = (0..<count).map { "\($0)" }
        for hasMembers in [false, true] {
            let text = text(of: RowList(name), rows) { list in list.end { if hasMembers { $0.member("last", 7) } } }
            let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let array = name == nil ? json as? [Int] : (json as? [String: Any])?["rows"] as? [Int]
            #expect(array == Array(0..<count))
            if name != nil { #expect((json as? [String: Any])?["last"] as? Int == (hasMembers ? 7 : nil)) }
        }
    }
}
#endif
