#if Replication
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server that accepts its first client only. On Linux a later client cannot even connect, but waits for that. It ends with its client.
final class OneClientServer: Sendable {
    let port: Int

    /// - Parameter respond: Returns the response to the client's request.
    init(respond: @escaping @Sendable (String) -> [UInt8]) throws {
        // One connection may wait to be accepted.
        let (listening, port) = try LoopbackSocket.listening(backlog: 0)
        self.port = port
        Thread.detachNewThread {
            let client = accept(listening, nil, nil)
            var request = ""
            while !request.hasSuffix("\r\n\r\n"), let text = Self.read(client) { request += text }
            let waiting = try? LoopbackSocket.connected(to: port, receiveTimeout: 1)
            let response = respond(request)
            _ = send(client, response, response.count, 0)
            while Self.read(client) != nil {}
            for descriptor in [client, waiting ?? -1, listening] where descriptor >= 0 { close(descriptor) }
        }
    }

    /// Returns the next bytes; `nil` at the end.
    private static func read(_ descriptor: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
#endif
