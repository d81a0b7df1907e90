#if Replication
/// What is wrong with a message of HTTP, or with what should become one.
package struct HTTPSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    /// It begins as a record of TLS does.
    static let isTLS = HTTPSyntaxError("this is TLS, not HTTP")
}

/// The first line of a request, and its header.
package struct HTTPRequestHead: Sendable, Equatable {
    package var method: String
    package var target: String
    package var fields: HTTPFields

    package init(method: String, target: String, fields: HTTPFields) {
        self.method = method
        self.target = target
        self.fields = fields
    }

    /// The bytes to send: spelled exactly as given, since there are peers that compare a header bytewise (Replication 1.2).
    ///
    /// - Throws: ``HTTPSyntaxError`` when a part of it would not be read as what it is: a line break in a value, say.
    package func encoded() throws(HTTPSyntaxError) -> [UInt8] {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !target.isEmpty else {
            throw HTTPSyntaxError("the request target holds a blank or a control character")
        }
        return try Self.lines("\(method) \(target) HTTP/1.1", fields)
    }

    /// A first line and header fields, with the empty line after them.
    static func lines(_ first: String, _ fields: HTTPFields) throws(HTTPSyntaxError) -> [UInt8] {
        var bytes = Array(first.utf8) + [0x0D, 0x0A]
        for (name, value) in fields.pairs {
            guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
                throw HTTPSyntaxError("“\(name)” is no name of a header field")
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw HTTPSyntaxError("the value of the header field “\(name)” holds a control character")
            }
            bytes += name.utf8
            bytes += [UInt8(ascii: ":"), UInt8(ascii: " ")]
            bytes += value.utf8
            bytes += [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }
}

/// The first line of a response, and its header.
package struct HTTPResponseHead: Sendable, Equatable {
    package var status: Int
    package var reason: String
    package var fields: HTTPFields

    package init(status: Int, reason: String, fields: HTTPFields) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }

    /// The bytes to send.
    ///
    /// - Throws: As ``HTTPRequestHead/encoded()``.
    package func encoded() throws(HTTPSyntaxError) -> [UInt8] {
        try HTTPRequestHead.lines("HTTP/1.1 \(status) \(reason)", fields)
    }
}
#endif
