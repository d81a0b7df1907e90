#if Replication
import Foundation

/// A client of the feed of changes through a WebSocket, written from RFC 6455 only. Its calls block.
final class FeedClient {
    /// What the hub sends.
    enum Message: Equatable {
        /// A text with an array of changes: their IDs, and whether they contain documents.
        case changes([String], hasDocuments: Bool)
        /// A message that is no text.
        case binary([UInt8])
        /// The code is 0 if there is none.
        case close(code: Int, reason: String)
        /// The connection has ended.
        case end
    }

    private let connection: RawConnection
    /// The head of the hub's response.
    let head: String

    /// - Parameters:
    ///   - path: The path with the query, such as `/db/_changes?feed=websocket`.
    ///   - user: The user, whose password is `secret`.
    init(port: Int, _ path: String, user: String? = nil) throws {
        connection = try RawConnection(port: port)
        let credentials = user.map { "Authorization: Basic \(Data("\($0):secret".utf8).base64EncodedString())\n" } ?? ""
        connection.send(
            lines: """
                GET \(path) HTTP/1.1
                Host: localhost
                \(credentials)Connection: Upgrade
                Upgrade: websocket
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==


                """
        )
        var head: [UInt8] = []
        while !head.ends(with: "\r\n\r\n"), case let byte = connection.read(count: 1), !byte.isEmpty { head += byte }
        self.head = String(decoding: head, as: UTF8.self)
    }

    /// Sends the options of the feed.
    func send(_ text: String) { send(opcode: 1, Array(text.utf8)) }

    /// Closes the WebSocket, and waits until the hub has closed it, too.
    func close() {
        send(opcode: 8, [0x03, 0xE8])
        while true {
            switch next() {
            case .changes, .binary: continue
            case .close, .end: return
            }
        }
    }

    /// Sends bytes that need not be a frame.
    func send(raw bytes: [UInt8]) { connection.send(bytes) }

    /// Sends a whole message, or a control frame.
    func send(opcode: UInt8, _ bytes: [UInt8]) {
        // A mask of zeros, so that the bytes stay the same.
        var frame: [UInt8] = [0x80 | opcode]
        if bytes.count < 126 {
            frame.append(0x80 | UInt8(bytes.count))
        } else if bytes.count < 1 << 16 {
            frame += [0x80 | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
        } else {
            frame += [0x80 | 127, 0, 0, 0, 0] + (0..<4).reversed().map { UInt8(bytes.count >> ($0 * 8) & 0xFF) }
        }
        connection.send(frame + [0, 0, 0, 0] + bytes)
    }

    /// Waits for the next message.
    func next() -> Message {
        let start = connection.read(count: 2)
        guard start.count == 2 else { return .end }
        var count = Int(start[1])
        if count >= 126 { count = Self.number(connection.read(count: count == 126 ? 2 : 8)) }
        let bytes = connection.read(count: count)
        switch start[0] {
        case 0x81:
            let changes = (try? JSONSerialization.jsonObject(with: Data(bytes)) as? [[String: Any]]) ?? []
            return .changes(changes.map { $0["id"] as? String ?? "?" }, hasDocuments: changes.contains { $0["doc"] != nil })
        case 0x82: return .binary(bytes)
        case 0x88:
            return .close(code: Self.number(bytes.prefix(2)), reason: String(decoding: bytes.dropFirst(2), as: UTF8.self))
        default:
            return next()
        }
    }

    /// Returns an unsigned number, the highest byte first.
    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { ($0 << 8) | Int($1) } }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
#endif
