#if Replication
import TestSupport
import Testing

@testable import Transport

@Suite("HTTP head parser")
struct HTTPHeadParserTests {
    private func head(_ text: String, limits: HTTPHeadParser.Limits = .init()) throws -> HTTPHeadParser? {
        var parser = HTTPHeadParser(limits: limits)
        return try parser.append(Array(text.utf8)) ? parser : nil
    }

    @Test("a response head is parsed, and the bytes that follow are kept")
    func response() throws {
        let text = "HTTP/1.1 404 Not Found \r\nA:1\r\na:  x y \t\r\nEmpty:\r\nN: \u{FC}\r\n\r\nrest"
        for cut in 0..<text.utf8.count {
            var parser = HTTPHeadParser()
            let bytes = Array(text.utf8)
            let isEarly = try parser.append(bytes[..<cut])
            #expect(isEarly == (cut >= text.utf8.count - 4))
            #expect(try parser.append(bytes[cut...]))
            let head = try parser.response()
            #expect(head.status == 404 && head.reason == "Not Found ")
            #expect(head.fields["a"] == "1" && head.fields.values(of: "A") == ["1", "x y"])
            #expect(head.fields["EMPTY"] == "" && head.fields["n"] == "ü" && head.fields["other"] == nil)
            #expect(parser.rest == Array("rest".utf8))
        }
    }

    @Test("a request head is parsed, and lists in its fields are split")
    func request() throws {
        let head = try head("GET /x?y HTTP/1.0\r\nP: a, b\r\nP:,c ,\r\n\r\n")?.request()
        #expect(head?.method == "GET" && head?.target == "/x?y")
        #expect(head?.fields.tokens(of: "p") == ["a", "b", "c"])
    }

    @Test("spaces and tabs around a field value are removed, even before a combining character")
    func blanks() throws {
        let head = try head("GET / HTTP/1.1\r\nA: \t\u{301}x \r\n\r\n")?.request()
        #expect(head?.fields["a"]?.unicodeScalars.elementsEqual("\u{301}x".unicodeScalars) == true)
    }

    @Test("malformed request and response heads throw errors")
    func malformed() throws {
        let responses = [
            "HTTP/2 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 x", "HTTP/1.1  200 OK", "HTTP/1.1",
            "HTTP/1.1 200 O\u{7}K", "HTTP/1.1 200 OK\r\n: x", "HTTP/1.1 200 OK\r\nA B: x",
            "HTTP/1.1 200 OK\r\nA : x",
            "HTTP/1.1 200 OK\r\nA", "HTTP/1.1 200 OK\r\nA: \u{0}", "HTTP/1.1 200 OK\r\nA: x\r\n y",
            "HTTP/1.1 200 OK\nA: x",
            "HTTP/1.1 200 OK\r\nA: x\rB: y",
        ]
        for text in responses {
            #expect(throws: HTTPSyntaxError.self, "\(text)") { try head(text + "\r\n\r\n")?.response() }
        }
        for line in [
            "GET / HTTP/2", "GET /", "GET  / HTTP/1.1", "G(T / HTTP/1.1", "GET / x HTTP/1.1", "GET /\u{1} HTTP/1.1",
        ] {
            #expect(throws: HTTPSyntaxError.self, "\(line)") { try head(line + "\r\n\r\n")?.request() }
        }
        #expect(throws: HTTPSyntaxError.self) { try head("\r\n\r\n") }
        #expect(throws: HTTPSyntaxError.self) { try head("\u{16}\u{3}") }
        #expect(throws: HTTPSyntaxError.self) { try HTTPHeadParser().request() }
    }

    @Test("the size of a head and the number of its fields are limited")
    func limits() throws {
        var limits = HTTPHeadParser.Limits()
        limits.bytes = 100
        limits.fields = 2
        #expect(throws: HTTPSyntaxError.self) { try head(String(repeating: "x", count: 101), limits: limits) }
        #expect(throws: HTTPSyntaxError.self) {
            try head("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 90))\r\n\r\n", limits: limits)
        }
        #expect(try head("GET / HTTP/1.1\r\nA: 1\r\nA: 2\r\n\r\n", limits: limits)?.request().fields.pairs.count == 2)
        #expect(throws: HTTPSyntaxError.self) {
            try head("GET / HTTP/1.1\r\nA: 1\r\nA: 2\r\nA: 3\r\n\r\n", limits: limits)?.request()
        }
    }

    @Test("encoded heads are parsed back unchanged, and an invalid target cannot be encoded")
    func roundTrip() throws {
        let request = HTTPRequestHead(method: "GET", target: "/a%20b", fields: HTTPFields([("A", "ü x"), ("b", "")]))
        #expect(try head(String(decoding: request.encoded(), as: UTF8.self))?.request() == request)
        let response = HTTPResponseHead(status: 101, reason: "Yes", fields: HTTPFields([("A", "1")]))
        #expect(try head(String(decoding: response.encoded(), as: UTF8.self))?.response() == response)
        for target in ["", "/ x", "/\r\n", "/\u{7F}"] {
            #expect(throws: HTTPSyntaxError.self) {
                try HTTPRequestHead(method: "GET", target: target, fields: HTTPFields()).encoded()
            }
        }
    }

    @Test("random and mutated heads are parsed or rejected, with the same result wherever they are split")
    func fuzz() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let good = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\n\r\n".utf8)
        let alphabet = Array("\r\n: \t;aA0fHTP/1.\u{0}\u{FF}".utf8)
        func read(_ bytes: [UInt8], cutAt cut: Int) -> String {
            do {
                var parser = HTTPHeadParser()
                _ = try parser.append(bytes[..<cut])
                guard try parser.append(bytes[cut...]) else { return "incomplete" }
                let head = try parser.response()
                var body = HTTPBodyReader(after: head, limit: 4)
                body.append(parser.rest)
                return "\(head) \(body.body) \(body.isComplete)"
            } catch {
                return "error"
            }
        }
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = alphabet.randomElement(using: &generator) ?? 0
                case 1: bytes.remove(at: index)
                default: bytes.insert(alphabet.randomElement(using: &generator) ?? 0, at: index)
                }
            }
            let whole = read(bytes, cutAt: bytes.count)
            #expect(read(bytes, cutAt: Int.random(in: 0...bytes.count, using: &generator)) == whole)
        }
    }

    @Test("a body ends by its length, its chunks or the end of the connection, and is truncated at the limit")
    func bodies() {
        func body(_ fields: [(String, String)], _ text: String, limit: Int = 100, status: Int = 404) -> (String, Bool) {
            let head = HTTPResponseHead(status: status, reason: "", fields: HTTPFields(fields.map { (name: $0.0, value: $0.1) }))
            var reader = HTTPBodyReader(after: head, limit: limit)
            for byte in text.utf8 { reader.append([byte]) }
            return (String(decoding: reader.body, as: UTF8.self), reader.isComplete)
        }
        #expect(body([("Content-Length", "3")], "abcdef") == ("abc", true))
        #expect(body([("Content-Length", "3")], "ab") == ("ab", false))
        #expect(body([("Content-Length", "0")], "") == ("", true))
        #expect(body([("Content-Length", "99999999999999999999")], "abc") == ("abc", false))
        #expect(body([("content-length", "-1")], "abc") == ("", true))
        #expect(body([], "abc") == ("abc", false))
        #expect(body([], "abcdef", limit: 4) == ("abcd", true))
        #expect(body([], "abc", status: 204) == ("", true))
        #expect(body([("Transfer-Encoding", "chunked")], "3;x=1\r\nabc\r\n2\r\nde\r\n0\r\n\r\n") == ("abcde", true))
        #expect(body([("Transfer-Encoding", "chunked")], "3\r\nab") == ("ab", false))
        #expect(body([("Transfer-Encoding", "chunked")], "xyz\r\nab") == ("", true))
        #expect(body([("Transfer-Encoding", "chunked")], "fffffffff\r\nab") == ("", true))
        #expect(body([("Transfer-Encoding", "chunked")], String(repeating: "1", count: 300)) == ("", true))
    }
}
#endif
