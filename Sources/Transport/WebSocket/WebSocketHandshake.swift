#if Replication
package import SyncCore
import Crypto
import ExactStrings
import Foundation

/// The opening handshake of a WebSocket as both sides see it (Replication 1.2, 6.1). No I/O.
package enum WebSocketHandshake {
    /// What the accept hash is made with (RFC 6455, 1.3).
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// A new key: 16 random bytes in base64.
    package static func makeKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    }

    /// What the server answers to a key.
    package static func accept(for key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + suffix).utf8))).base64EncodedString()
    }

    /// Checks a `101` response.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - key: The key that was sent.
    ///   - offered: The sub-protocols that were sent.
    /// - Returns: The sub-protocol the server has chosen.
    /// - Throws: ``SyncError`` of the WebSocket domain: 1002 for what is no upgrade or names no sub-protocol, 403 for one that was not offered.
    package static func check(_ head: HTTPResponseHead, key: String, offered: [String]) throws(SyncError) -> String {
        guard head.fields["Connection"]?.isEqualIgnoringCase(to: "upgrade") == true,
            head.fields["Upgrade"]?.isEqualIgnoringCase(to: "websocket") == true
        else { throw SyncError(.webSocket, 1002, "the server's answer is no upgrade to WebSocket") }
        guard accept(for: key).isExactly(head.fields["Sec-WebSocket-Accept"]) else {
            throw SyncError(.webSocket, 1002, "the server has not answered this handshake: Sec-WebSocket-Accept is wrong")
        }
        guard let subprotocol = head.fields["Sec-WebSocket-Protocol"], !subprotocol.isEmpty else {
            throw SyncError(.webSocket, 1002, "incompatible replication protocol: the server names none")
        }
        guard offered.containsExactly(subprotocol) else {
            throw SyncError(.webSocket, 403, "the server has chosen “\(subprotocol)”, which was not offered")
        }
        return subprotocol
    }

    /// The sub-protocol a server chooses: its own first that the client offers too.
    package static func choose(from offered: [String], supported: [String]) -> String? {
        supported.first { offered.containsExactly($0) }
    }

    /// Whether a request asks for a WebSocket of version 13 or newer, with a proper key.
    package static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
        head.fields.tokens(of: "Connection").contains { $0.isEqualIgnoringCase(to: "upgrade") }
            && head.fields.tokens(of: "Upgrade").contains { $0.isEqualIgnoringCase(to: "websocket") }
            && (head.fields["Sec-WebSocket-Version"].flatMap { Int($0) } ?? 0) >= 13
            && head.fields["Sec-WebSocket-Key"].flatMap { Data(base64Encoded: $0) }?.count == 16
    }

    /// The answer that makes the connection a WebSocket, with the spelling that stock clients compare (Replication 1.2).
    package static func acceptance(key: String, subprotocol: String) -> HTTPResponseHead {
        HTTPResponseHead(
            status: 101,
            reason: "Switching Protocols",
            fields: HTTPFields([
                ("Connection", "Upgrade"),
                ("Upgrade", "websocket"),
                ("Sec-WebSocket-Accept", accept(for: key)),
                ("Sec-WebSocket-Protocol", subprotocol),
            ])
        )
    }
}
#endif
