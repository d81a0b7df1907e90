import Foundation
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Sends requests over its own socket, with exactly the bytes and headers that a test wants.
struct LoopbackClient {
    /// The response has no complete head.
    struct Failure: Error {}

    struct Response {
        let status: Int
        /// The headers, by their names in small letters.
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    let port: Int

    /// Sends a request, and returns the response.
    ///
    /// - Parameter headers: `Host` is added if it is not among them.
    func request(
        _ method: String,
        _ target: String,
        _ headers: [String: String] = [:],
        body: [UInt8] = []
    ) throws -> Response {
        var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
        if headers["Host"] == nil { head += "Host: 127.0.0.1:\(port)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return try Self.parse(exchange(Array((head + "\r\n").utf8) + body))
    }

    /// Sends bytes, and returns all that the server sends until it closes the connection.
    func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
        let descriptor = try LoopbackSocket.connected(to: port, receiveTimeout: 30)
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            // The server may refuse a request before it has read all of it.
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 { received += buffer[..<count] }
        return received
    }

    private static func parse(_ bytes: [UInt8]) throws -> Response {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Failure() }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        return Response(status: status ?? 0, headers: headers, body: Array(bytes[end.upperBound...]))
    }
}
