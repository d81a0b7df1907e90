#if Replication
package import SyncCore
import Crypto
import Base
import Foundation

/// The opening handshake of a WebSocket, for both sides (Replication 1.2, 6.1). Performs no I/O.
package enum WebSocketHandshake {
    /// The text that is appended to the key for the accept hash (RFC 6455, 1.3).
    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Returns a new key: 16 random bytes in base64.
    package static func makeKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }).base64EncodedString()
    }

    /// Returns the value with which the server responds to a key.
    package static func accept(for key: String) -> String {
        Data(Insecure.SHA1.hash(data: Data((key + suffix).utf8))).base64EncodedString()
    }

    /// Validates a `101` response.
    ///
    /// - Parameters:
    ///   - head: The response.
    ///   - key: The key that was sent.
    ///   - offered: The sub-protocols that were sent.
    /// - Returns: The sub-protocol that the server has chosen.
    /// - Throws: ``SyncError`` of the WebSocket domain: 1002 if the response is not a valid upgrade or contains no sub-protocol, 403 if the
    ///   sub-protocol was not offered.
    package static func check(_ head: HTTPResponseHead, key: String, offered: [String]) throws(SyncError) -> String {
        guard head.fields["Connection"]?.isEqualIgnoringCase(to: "upgrade") == true,
            head.fields["Upgrade"]?.isEqualIgnoringCase(to: "websocket") == true
        else { throw SyncError(webSocket: .protocolError, "the server's response is not an upgrade to WebSocket") }
        guard accept(for: key).isExactly(head.fields["Sec-WebSocket-Accept"]) else {
            throw SyncError(
                webSocket: .protocolError,
                "the server's response does not belong to this handshake: Sec-WebSocket-Accept is wrong"
            )
        }
        guard let subprotocol = head.fields["Sec-WebSocket-Protocol"], !subprotocol.isEmpty else {
            throw SyncError(webSocket: .protocolError, "incompatible replication protocol: the server specified no sub-protocol")
        }
        guard offered.containsExactly(subprotocol) else {
            throw SyncError(webSocket: .forbidden, "the server has chosen “\(subprotocol)”, which was not offered")
        }
        return subprotocol
    }

    /// Returns the sub-protocol that a server chooses: as in Sync Gateway, the first one of the client that is supported.
    package static func choose(from offered: [String], supported: [String]) -> String? {
        offered.first { supported.containsExactly($0) }
    }

    /// Returns whether a request asks for a WebSocket of version 13 or newer, with a valid key. Neither may be given twice (RFC 6455,
    /// section 11.3).
    package static func isUpgrade(_ head: HTTPRequestHead) -> Bool {
        head.fields.tokens(of: "Connection").contains { $0.isEqualIgnoringCase(to: "upgrade") }
            && head.fields.tokens(of: "Upgrade").contains { $0.isEqualIgnoringCase(to: "websocket") }
            && (head.fields.only("Sec-WebSocket-Version").flatMap { Int($0) } ?? 0) >= 13
            && head.fields.only("Sec-WebSocket-Key").flatMap { Data(base64Encoded: $0) }?.count == 16
    }

    /// Returns the response that accepts a WebSocket, with the spelling that stock clients compare (Replication 1.2).
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
