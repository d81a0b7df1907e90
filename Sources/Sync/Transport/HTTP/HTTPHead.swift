#if Replication
/// A syntax error in a received HTTP message, or in a message to send.
package struct HTTPSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }

    /// The data starts like a TLS record.
    static let isTLS = HTTPSyntaxError("this is TLS, not HTTP")
}

/// The request line and header fields of a request.
package struct HTTPRequestHead: Sendable, Equatable {
    /// The method as it is sent. Case is significant.
    package var method: String
    /// What follows the method: a path with a query, an authority for `CONNECT`, or a whole URL. Not decoded.
    package var target: String
    /// The header fields, in the order in which they were sent.
    package var fields: HTTPFields

    package init(method: String, target: String, fields: HTTPFields) {
        (self.method, self.target, self.fields) = (method, target, fields)
    }

    /// Returns the bytes to send. Names and values are written exactly as given, because some peers compare header fields bytewise
    /// (Replication 1.2).
    ///
    /// - Throws: ``HTTPSyntaxError`` if a part contains a character that is not allowed there, such as a line break in a value.
    package func encoded() throws(HTTPSyntaxError) -> [UInt8] {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !target.isEmpty else {
            throw HTTPSyntaxError("the request target contains a space or a control character")
        }
        return try Self.lines("\(method) \(target) HTTP/1.1", fields)
    }

    /// Returns the first line and the header fields, followed by the empty line.
    static func lines(_ first: String, _ fields: HTTPFields) throws(HTTPSyntaxError) -> [UInt8] {
        var bytes = Array(first.utf8) + [0x0D, 0x0A]
        for (name, value) in fields.pairs {
            guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
                throw HTTPSyntaxError("“\(name)” is not a valid name of a header field")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw HTTPSyntaxError("the value of the header field “\(name)” contains a control character")
            }
            bytes += name.utf8
            bytes += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            bytes += value.utf8
            bytes += [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }
}

/// The status line and header fields of a response.
package struct HTTPResponseHead: Sendable, Equatable {
    /// The status code, of three digits.
    package var status: Int
    /// The text after the status code, which has no meaning; may be empty.
    package var reason: String
    /// The header fields, in the order in which they were sent.
    package var fields: HTTPFields

    /// Returns the bytes to send.
    ///
    /// - Throws: The same errors as ``HTTPRequestHead/encoded()``.
    package func encoded() throws(HTTPSyntaxError) -> [UInt8] {
        try HTTPRequestHead.lines("HTTP/1.1 \(status) \(reason)", fields)
    }
}
#endif
