#if Replication
import Base
import Foundation
import Synchronization
import TestSupport
import Transport

/// A server that accepts WebSockets with a chosen value of `Server`, and ends each connection after the first bytes of the client.
final class ScriptedGateway: Sendable {
    let port: Int
    private let listening: Int32
    private let server: Mutex<String>

    /// - Parameter server: The first value of `Server`.
    init(server: String) throws {
        let (listening, port) = try LoopbackSocket.listening(backlog: 16)
        (self.listening, self.port) = (listening, port)
        self.server = Mutex(server)
        // The thread retains the object only while it serves a client.
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listening, nil, nil)
                guard client >= 0, let self else { break }
                self.serve(client)
            }
            close(listening)
        }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }

    /// Changes the value of `Server` in later responses.
    func setServer(_ value: String) { server.withLock { $0 = value } }

    private func serve(_ client: Int32) {
        defer { close(client) }
        var request = ""
        while !request.hasSuffix("\r\n\r\n") {
            guard let text = read(client) else { return }
            request += text
        }
        let key = request.components(separatedBy: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
        let lines = [
            "HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Accept: \(WebSocketHandshake.accept(for: String(key)))",
            "Sec-WebSocket-Protocol: BLIP_3+CBMobile_3", "Server: \(server.withLock { $0 })", "", "",
        ]
        let response = Array(lines.joined(separator: "\r\n").utf8)
        guard send(client, response, response.count, 0) == response.count else { return }
        // The client has handled the response when it sends.
        _ = read(client)
    }

    /// Returns the next bytes; `nil` at the end.
    private func read(_ client: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(client, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
#endif
