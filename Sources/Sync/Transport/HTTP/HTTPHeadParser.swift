#if Replication
// NIOHTTP1 is not used. Its decoder is a channel handler that reports a message in parts: collecting them, recognizing TLS, decoding text
// and truncating bodies would take about as many lines as this parser, and link one more C library. A parser that is a value can also be
// tested and fuzzed without a channel.

/// Parses the head of a request or a response from the bytes of a connection.
///
/// It is strict, because a lenient parser could be deceived: lines must end with CR LF, names must be tokens, values must not contain
/// control characters or line folding, and there are limits.
package struct HTTPHeadParser: Sendable {
    /// The maximum size of a head including its empty line, in bytes, and the maximum number of its fields.
    package struct Limits: Sendable {
        /// The size, 32 KiB by default.
        package var bytes = 32 * 1024
        /// The number of fields, 100 by default.
        package var fields = 100

        package init() {}
    }

    /// The data received after the head.
    package private(set) var rest: [UInt8] = []

    private let limits: Limits
    private var bytes: [UInt8] = []
    private var isComplete = false

    /// Creates a parser for one head.
    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Appends received bytes. Returns `true` if the head is complete; data after it is in ``rest``.
    package mutating func append(_ new: some Collection<UInt8>) throws(HTTPSyntaxError) -> Bool {
        guard !isComplete else {
            rest += new
            return true
        }
        let searched = max(0, bytes.count - 3)
        bytes += new
        // Checked with the first byte, because other protocols, such as TLS, may never send data that looks like the end of a head.
        if let first = bytes.first, !first.isTokenCharacter {
            throw Self.tlsRecordTypes.contains(first) ? .isTLS : HTTPSyntaxError("this is not HTTP")
        }
        // The standard library's search for a sequence takes a thousand times longer.
        let emptyLine = (searched..<max(searched, bytes.count - 3)).first {
            bytes[$0] == 0x0D && bytes[$0 + 1] == 0x0A && bytes[$0 + 2] == 0x0D && bytes[$0 + 3] == 0x0A
        }
        let found = emptyLine.map { $0 + 4 }
        guard found ?? bytes.count <= limits.bytes else { throw HTTPSyntaxError("the head has more than \(limits.bytes) bytes") }
        guard let found else { return false }
        rest = Array(bytes[found...])
        bytes.removeLast(bytes.count - found)
        isComplete = true
        return true
    }

    /// Returns the head of a request. Must be called when the head is complete.
    package func request() throws(HTTPSyntaxError) -> HTTPRequestHead {
        let lines = try splitLines()
        let parts = lines[0].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, Self.isVersion1(parts[2]), !parts[0].isEmpty, !parts[1].isEmpty,
            parts[0].allSatisfy(\.isTokenCharacter), parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw HTTPSyntaxError("the request line is malformed") }
        return HTTPRequestHead(
            method: String(decoding: parts[0], as: UTF8.self),
            target: String(decoding: parts[1], as: UTF8.self),
            fields: try fields(lines.dropFirst())
        )
    }

    /// Returns the head of a response. Must be called when the head is complete.
    package func response() throws(HTTPSyntaxError) -> HTTPResponseHead {
        let lines = try splitLines()
        let parts = lines[0].split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, Self.isVersion1(parts[0]), parts[1].count == 3, parts[1].allSatisfy(\.isDigit),
            let status = Int(String(decoding: parts[1], as: UTF8.self)), status >= 100
        else { throw HTTPSyntaxError("the status line is malformed") }
        return HTTPResponseHead(
            status: status,
            reason: parts.count == 3 ? try Self.text(parts[2]) : "",
            fields: try fields(lines.dropFirst())
        )
    }

    /// The types of TLS records that start a handshake: alert and handshake (RFC 8446, 5.1).
    private static let tlsRecordTypes: ClosedRange<UInt8> = 0x15...0x16
    private func splitLines() throws(HTTPSyntaxError) -> [ArraySlice<UInt8>] {
        guard isComplete else { throw HTTPSyntaxError("the head is incomplete") }
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for index in bytes.indices.dropLast(2) where bytes[index] == 0x0D && bytes[index + 1] == 0x0A {
            lines.append(bytes[start..<index])
            start = index + 2
        }
        guard let first = lines.first, !first.isEmpty else { throw HTTPSyntaxError("the first line is empty") }
        guard lines.count - 1 <= limits.fields else { throw HTTPSyntaxError("the header has more than \(limits.fields) fields") }
        return lines
    }

    private func fields(_ lines: ArraySlice<ArraySlice<UInt8>>) throws(HTTPSyntaxError) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex, line[..<colon].allSatisfy(\.isTokenCharacter)
            else { throw HTTPSyntaxError("a header field has no valid name") }
            let value = try Self.text(line[(colon + 1)...]).trimmingBlanks()
            fields.append(String(decoding: line[..<colon], as: UTF8.self), value)
        }
        return fields
    }

    private static func isVersion1(_ text: ArraySlice<UInt8>) -> Bool {
        text.elementsEqual("HTTP/1.1".utf8) || text.elementsEqual("HTTP/1.0".utf8)
    }

    /// Returns text without control characters, decoded as UTF-8 or, if that is invalid, as Latin-1, which was used formerly.
    private static func text(_ bytes: ArraySlice<UInt8>) throws(HTTPSyntaxError) -> String {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw HTTPSyntaxError("the head contains a control character")
        }
        return String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
#endif
