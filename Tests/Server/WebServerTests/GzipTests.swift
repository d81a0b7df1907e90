#if Replication
import Foundation
import TestTraits
import Testing

@testable import WebServer

@Suite("Compressed bodies", .ownThreads)
struct GzipTests {
    private let host = "Host: localhost\nConnection: close\n"
    /// `a text that another program has compressed`, as GNU gzip compresses it.
    private let sample = "H4sIAAAAAAACAwXBwQ0AIAgDwFW6WqNEPgiBPhzfO0L2BDkF3pRbozpPM+AcrIxqm7H9AV/03FcqAAAA"

    /// The head of a response and its body.
    private func response(_ port: Int, _ head: String, body: [UInt8] = []) async throws -> (head: String, body: [UInt8]) {
        let client = try await RawClient.connect(port: port)
        client.send(lines: head)
        client.send(body)
        let bytes = await client.readBytes()
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
        return (String(decoding: bytes[..<end.lowerBound], as: UTF8.self), Array(bytes[end.upperBound...]))
    }

    /// Returns the content of a body that was sent in chunks.
    private func dechunked(_ body: [UInt8]) throws -> [UInt8] {
        var rest = body[...]
        var content: [UInt8] = []
        while let end = rest.firstRange(of: Array("\r\n".utf8)) {
            let size = try #require(Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16))
            content += rest[end.upperBound...].prefix(size)
            rest = rest[end.upperBound...].dropFirst(size + 2)
        }
        return content
    }

    private func decompressed(_ bytes: [UInt8]) throws -> String {
        let decoder = try #require(GzipDecoder())
        var result: [UInt8] = []
        decoder.append(bytes)
        while let piece = try decoder.next() { result += piece }
        try decoder.finish()
        return String(decoding: result, as: UTF8.self)
    }

    private func compressed(_ text: String) throws -> [UInt8] { try #require(GzipEncoder()).end(Array(text.utf8)) }

    private func post(_ path: String, _ coding: String, _ count: Int) -> String {
        "POST \(path) HTTP/1.1\n\(host)Content-Encoding: \(coding)\nContent-Length: \(count)\n\n"
    }

    @Test("a text is sent in gzip only to clients that accept it")
    func responses() async throws {
        let text = String(repeating: "a text that repeats. ", count: 100)
        try await withServer {
            $0.usesGzip = true
        } _: { port, _, _ in
            for (field, isCompressed) in [
                ("Accept-Encoding: gzip\n", true), ("Accept-Encoding: br, GZIP;q=0.5\n", true), ("Accept-Encoding: *\n", true),
                ("", false), ("Accept-Encoding: br\n", false), ("Accept-Encoding: gzip;q=0, *\n", false),
                ("Accept-Encoding: gzip; q=0.0\n", false),
            ] {
                let head = "POST /large HTTP/1.1\n\(host)\(field)Content-Length: \(text.utf8.count)\n\n"
                let (answer, body) = try await response(port, head, body: Array(text.utf8))
                #expect(answer.contains("Content-Encoding: gzip") == isCompressed, "\(field)")
                #expect(answer.contains("Content-Length: \(body.count)"))
                #expect(try isCompressed ? decompressed(body) == text && body.count < 200 : body == Array(text.utf8), "\(field)")
            }
            // A short text would become longer.
            let (answer, body) = try await response(
                port,
                "POST /large HTTP/1.1\n\(host)Accept-Encoding: gzip\nContent-Length: 2\n\n",
                body: Array("ab".utf8)
            )
            #expect(answer.contains("Vary: Accept-Encoding") && body == Array("ab".utf8))
            // A content of which ranges may be requested is sent as it is.
            let ranged = try await response(port, "GET /ranges HTTP/1.1\n\(host)Accept-Encoding: gzip\n\n")
            #expect(!ranged.head.contains("Content-Encoding") && ranged.body.count == 10_000)
        }
    }

    @Test("each part of a streamed text can be decompressed when it is received")
    func streams() async throws {
        try await withServer {
            $0.usesGzip = true
        } _: { port, _, _ in
            let (answer, body) = try await response(port, "GET /count HTTP/1.1\n\(host)Accept-Encoding: gzip\n\n")
            #expect(answer.contains("Content-Encoding: gzip"))
            #expect(try decompressed(dechunked(body)) == "1\n2\n3\n")
        }
        let encoder = try #require(GzipEncoder())
        let decoder = try #require(GzipDecoder())
        for text in ["first", "second", String(repeating: "third", count: 50_000)] {
            var received: [UInt8] = []
            decoder.append(encoder.part(Array(text.utf8)))
            while let piece = try decoder.next() { received += piece }
            #expect(received == Array(text.utf8))
        }
    }

    @Test("a body is decompressed from parts of any size")
    func parts() throws {
        let text = (0..<20_000).map { String($0 * 7919 % 1000) }.joined(separator: " ")
        let body = try compressed(text)
        for size in [1, 7, 1000] {
            let decoder = try #require(GzipDecoder())
            var received: [UInt8] = []
            for start in stride(from: 0, to: body.count, by: size) {
                decoder.append(Array(body[start..<min(start + size, body.count)]))
                while let piece = try decoder.next() { received += piece }
            }
            try decoder.finish()
            #expect(received == Array(text.utf8), "\(size)")
        }
    }

    @Test("the body of a request may be compressed, and its content counts for the limit of its size")
    func requests() async throws {
        try await withServer {
            $0.usesGzip = true
        } _: { port, _, _ in
            let vector = Array(try #require(Data(base64Encoded: sample)))
            let (_, echo) = try await response(port, post("/echo", "gzip", vector.count), body: vector)
            #expect(String(decoding: echo, as: UTF8.self) == "a text that another program has compressed")
            let plain = try await response(port, post("/echo", "identity", 3), body: Array("abc".utf8))
            #expect(plain.body == Array("abc".utf8))

            let large = try compressed(String(repeating: "a", count: 20 << 20))
            #expect(large.count < 100_000)
            for (path, coding, body, status) in [
                ("/echo", "gzip", try compressed(String(repeating: "a", count: 101)), 413), ("/large", "x-gzip", large, 413),
                ("/large", "gzip", Array(vector.dropLast()), 400), ("/large", "gzip", vector + [0], 400),
                ("/large", "gzip", Array("abc".utf8), 400), ("/large", "gzip", [], 400), ("/large", "br", vector, 415),
                ("/large", "gzip, gzip", vector, 415),
            ] {
                let (head, _) = try await response(port, post(path, coding, body.count), body: body)
                #expect(head.hasPrefix("HTTP/1.1 \(status) "), "\(path) \(coding) \(body.count)")
            }
        }
    }

    @Test("a server that does not use gzip sends and receives bodies as they are")
    func unused() async throws {
        try await withServer { port, _, _ in
            let (answer, body) = try await response(
                port,
                "POST /echo HTTP/1.1\n\(host)Accept-Encoding: gzip\nContent-Encoding: gzip\nContent-Length: 3\n\n",
                body: Array("abc".utf8)
            )
            #expect(!answer.contains("Content-Encoding") && body == Array("abc".utf8))
        }
    }
}
#endif
