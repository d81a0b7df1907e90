#if Replication
import Base
import Foundation
import Transport
import WebServer

/// Reads a multipart body (RFC 2046, 5.1) while it is received. A piece at a time is in memory.
struct MultipartReader {
    /// The maximum size of the header of a part, in bytes.
    static let maximumHeader = 8 << 10
    /// The maximum length of a boundary (RFC 2046, 5.1.1).
    private static let maximumBoundary = 70

    let body: WebBody
    private let delimiter: [UInt8]
    /// What was received and not read yet. The first delimiter may follow no line break, so one is assumed.
    private var buffer: [UInt8] = [0x0D, 0x0A]
    private var isInPart = true
    private var isAtEnd = false

    /// Creates a reader; `nil` if the content type is not multipart.
    ///
    /// - Throws: ``WebError`` 400 if the content type has no valid boundary.
    init?(_ request: WebRequest) throws {
        guard let field = request.headers["Content-Type"], field.lowercased().hasPrefix("multipart/") else { return nil }
        guard let boundary = HeaderParameter.value("boundary", in: field), (1...Self.maximumBoundary).contains(boundary.utf8.count) else {
            throw HubError.badRequest("The content type has no valid boundary")
        }
        body = request.body
        delimiter = Array("\r\n--\(boundary)".utf8)
    }

    /// Skips the rest of the current part, and returns the header of the next one, with lowercase names; `nil` after the last part.
    ///
    /// - Throws: ``WebError`` 400 if the body is not valid, and the errors of receiving it.
    mutating func nextPart() async throws -> [String: String]? {
        while try await nextPiece() != nil {}
        guard !isAtEnd else { return nil }
        // What follows the delimiter: the end of the line, or two hyphens after the last part.
        while buffer.count < 2 { try await receive() }
        guard !buffer.starts(with: [0x2D, 0x2D]) else {
            isAtEnd = true
            return nil
        }
        // With the end of the line, so that a header without fields ends like others.
        while true {
            if let end = Self.position(of: [0x0D, 0x0A, 0x0D, 0x0A], in: buffer) {
                guard end <= Self.maximumHeader else { throw HubError.badRequest("The header of a part is longer than 8 KiB") }
                let header = try Self.header(buffer[..<end])
                buffer.removeFirst(end + 4)
                // The body of the part may be empty, without a line break of its own before the delimiter.
                isInPart = true
                return header
            }
            guard buffer.count <= Self.maximumHeader else { throw HubError.badRequest("The header of a part is longer than 8 KiB") }
            try await receive()
        }
    }

    /// Returns the next bytes of the part; `nil` at its end.
    ///
    /// - Throws: As ``nextPart()``.
    mutating func nextPiece() async throws -> [UInt8]? {
        while isInPart {
            if let end = Self.position(of: delimiter, in: buffer) {
                let piece = Array(buffer[..<end])
                buffer.removeFirst(end + delimiter.count)
                isInPart = false
                return piece.isEmpty ? nil : piece
            }
            // The end of the buffer may be the beginning of the delimiter.
            let count = buffer.count - delimiter.count + 1
            if count > 0 {
                let piece = Array(buffer[..<count])
                buffer.removeFirst(count)
                return piece
            }
            try await receive()
        }
        return nil
    }

    /// Reads the rest of the body, so that the connection can be used for another request.
    mutating func finish() async throws {
        while try await nextPart() != nil {}
        while try await body.next() != nil {}
    }

    private mutating func receive() async throws {
        guard let bytes = try await body.next() else { throw HubError.badRequest("The multipart body is incomplete") }
        buffer += bytes
    }

    private static func header(_ bytes: ArraySlice<UInt8>) throws -> [String: String] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw HubError.badRequest("The header of a part is not UTF-8") }
        var fields: [String: String] = [:]
        for line in text.unicodeScalars.split(omittingEmptySubsequences: true, whereSeparator: { $0 == "\r" || $0 == "\n" }) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = String(line[..<colon]).lowercased().trimmingCharacters(in: .whitespaces)
            fields[name] = String(line[line.index(after: colon)...]).trimmingCharacters(in: .whitespaces)
        }
        return fields
    }

    /// Returns the position of the first occurrence of a pattern.
    private static func position(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            let last = bytes.count - pattern.count
            while start <= last, let base = bytes.baseAddress, let found = memchr(base + start, Int32(first), last - start + 1) {
                start = UnsafeRawPointer(found) - base
                if memcmp(found, pattern, pattern.count) == 0 { return start }
                start += 1
            }
            return nil
        }
    }
}

/// The parameters of fields such as `Content-Type: multipart/related; boundary="x"` (RFC 9110, 5.6.6).
enum HeaderParameter {
    /// Returns the value of a parameter, without quotation marks; `nil` if there is none.
    static func value(_ name: String, in field: String) -> String? {
        var rest = Substring(field).unicodeScalars.drop { $0 != ";" }
        while rest.popFirst() != nil {
            let key = String(rest.prefix { $0 != "=" && $0 != ";" })
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else { continue }
            rest.removeFirst()
            let value = consumeValue(&rest)
            if key.trimmingCharacters(in: .whitespaces).lowercased().isExactly(name) { return value }
            rest = rest.drop { $0 != ";" }
        }
        return nil
    }

    private static func consumeValue(_ rest: inout Substring.UnicodeScalarView) -> String {
        rest = rest.drop { $0 == " " }
        var value = String.UnicodeScalarView()
        guard rest.first == "\"" else {
            value.append(contentsOf: rest.prefix { $0 != ";" })
            rest = rest.drop { $0 != ";" }
            return String(value).trimmingCharacters(in: .whitespaces)
        }
        rest.removeFirst()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let escaped = rest.popFirst() { value.append(escaped) } else { value.append(scalar) }
        }
        return String(value)
    }
}
#endif
