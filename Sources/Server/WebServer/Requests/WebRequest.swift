#if Replication
import Base
import Foundation
package import Transport

/// A request that a ``WebServer`` has received. Its head is complete; its body may still be on its way.
package struct WebRequest: Sendable {
    /// The method in capital letters, such as `GET`. A `HEAD` request has the method `GET`, and ``isHead`` is true.
    package let method: String
    /// Whether the client wants only the head of the response. The server omits the body by itself.
    package let isHead: Bool
    /// The target as received: the path and the query, percent-encoded.
    package let target: String
    /// The segments of the path, percent-decoded: `/db/a%2Fb` has the segments `db` and `a/b`. Empty for `/`. An empty segment at the end, as
    /// in `/db/`, is omitted.
    package let path: [String]
    /// The query items in the order of the request, decoded. A plus sign in the query means a space.
    package let query: [(name: String, value: String)]
    /// The header fields.
    package var headers: HTTPFields
    /// The body, which can be read once.
    package let body: WebBody
    /// The client's address and port, for the log.
    package let remoteAddress: String
    /// The part of the client's address that limits apply to.
    package let clientAddress: ClientAddress

    /// Returns the value of the first query item of that name; `nil` if there is none.
    package func queryValue(_ name: String) -> String? { query.first { $0.name.isExactly(name) }?.value }

    /// The value of the field `Range`, for ``ByteRange``; `nil` for a `HEAD` request, for which HTTP defines no ranges (RFC 9110, 14.2).
    package var rangeField: String? { isHead ? nil : headers["Range"] }

    /// Whether the client asks for a WebSocket. ``WebResponse/webSocket(subprotocol:options:accept:)`` accepts it.
    package var isWebSocketUpgrade: Bool {
        !isHead && WebSocketHandshake.isUpgrade(Transport.HTTPRequestHead(method: method, target: target, fields: headers))
    }

    /// The sub-protocols that the client offers for a WebSocket.
    package var webSocketSubprotocols: [String] { headers.tokens(of: "Sec-WebSocket-Protocol") }
}

/// The target of a request, decoded.
struct WebTarget {
    /// The host, with its port if that is unusual, of a target in absolute form. It replaces the field `Host` (RFC 9112, 3.2.2).
    var authority: String?
    /// The path and the query as they were sent.
    var originForm: String
    var path: [String] = []
    var query: [(name: String, value: String)] = []

    /// Parses the target of a request line: a path that begins with a slash, with or without a query, or an HTTP URL.
    ///
    /// Returns `nil` if it has another form, if a percent sign is not followed by two hexadecimal digits, or if the decoded text is not UTF-8.
    init?(_ target: String) {
        if target.utf8.first == UInt8(ascii: "/") {
            originForm = target
        } else {
            guard !target.utf8.contains(UInt8(ascii: "#")), let url = try? EndpointURL(http: target) else { return nil }
            (authority, originForm) = (url.hostField, url.target)
        }
        // By scalars, because a separator followed by a combining accent is another character.
        let parts = originForm.unicodeScalars.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var segments: [String] = []
        for segment in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = Self.decode(segment, plusIsSpace: false) else { return nil }
            segments.append(decoded)
        }
        if segments.last?.isEmpty == true { segments.removeLast() }
        path = segments
        guard parts.count == 2 else { return }
        for item in parts[1].split(separator: "&") {
            let sides = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(sides[0], plusIsSpace: true),
                let value = sides.count == 2 ? Self.decode(sides[1], plusIsSpace: true) : ""
            else { return nil }
            query.append((name, value))
        }
    }

    private static func decode(_ text: Substring.UnicodeScalarView, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = Substring(text).utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension UInt8 {
    /// The value of the byte as a hexadecimal digit; `nil` if it is none.
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The encoding of names in the paths of URLs.
package enum PathSegment {
    /// Returns a name as one segment of a path: everything except the unreserved ASCII characters is percent-encoded.
    package static func encoded(_ name: String) -> String {
        name.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._~"))) ?? name
    }
}
#endif
