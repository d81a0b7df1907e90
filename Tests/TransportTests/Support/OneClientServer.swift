#if Replication
import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
private let stream = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Musl)
import Musl
private let stream = SOCK_STREAM
#else
import Darwin
private let stream = SOCK_STREAM
#endif

/// A server that accepts its first client only. On Linux a later client cannot even connect, but waits for that. It ends with its client.
final class OneClientServer: Sendable {
    let port: Int

    /// - Parameter respond: Returns the response to the client's request.
    init(respond: @escaping @Sendable (String) -> [UInt8]) throws {
        let listening = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let result = bind(listening, address, length)
                return result == 0 ? getsockname(listening, address, &length) : result
            }
        }
        // One connection may wait to be accepted.
        guard listening >= 0, result == 0, listen(listening, 0) == 0 else { throw POSIXError(.EADDRINUSE) }
        let port = Int(UInt16(bigEndian: address.sin_port))
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
