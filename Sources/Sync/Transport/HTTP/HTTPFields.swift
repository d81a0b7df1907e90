#if Replication
import Base

/// The ordered header fields of an HTTP message. Names are compared case-insensitively.
package struct HTTPFields: Sendable, Equatable {
    /// The fields in the order in which they were received or will be written.
    package private(set) var pairs: [(name: String, value: String)]

    package init(_ pairs: [(name: String, value: String)] = []) { self.pairs = pairs }

    /// The value of the first field of that name. `nil` if there is none.
    package subscript(_ name: String) -> String? { pairs.first { $0.name.isEqualIgnoringCase(to: name) }?.value }

    /// Returns the values of all fields of that name.
    package func values(of name: String) -> [String] { pairs.lazy.filter { $0.name.isEqualIgnoringCase(to: name) }.map(\.value) }

    /// Returns the value of the field of that name; `nil` if there is none, or more than one.
    package func only(_ name: String) -> String? {
        let values = self.values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Returns the members of the comma-separated lists in all fields of that name.
    package func tokens(of name: String) -> [String] {
        values(of: name).flatMap { $0.split(separator: ",") }.map { $0.trimmingBlanks() }.filter { !$0.isEmpty }
    }

    /// Appends a field, also if there is one of this name.
    package mutating func append(_ name: String, _ value: String) { pairs.append((name, value)) }

    /// Sets the value of the first field of that name and removes the others. Appends the field if there is none.
    package mutating func set(_ name: String, _ value: String) {
        guard let index = pairs.firstIndex(where: { $0.name.isEqualIgnoringCase(to: name) }) else { return append(name, value) }
        pairs[index].value = value
        pairs = pairs.enumerated().filter { $0.offset <= index || !$0.element.name.isEqualIgnoringCase(to: name) }.map(\.element)
    }

    /// Removes all fields of that name.
    package mutating func remove(_ name: String) { pairs.removeAll { $0.name.isEqualIgnoringCase(to: name) } }

    package static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.pairs.elementsEqual(right.pairs) { $0 == $1 } }
}

extension StringProtocol {
    /// Returns whether both texts are equal, ignoring the case of the ASCII letters.
    func isEqualIgnoringCase(to other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }

    /// Returns the text without spaces and tabs at its ends.
    func trimmingBlanks() -> String {
        // Compares scalars, because a space followed by a combining accent is a single character that is not equal to a space.
        var rest = unicodeScalars[...]
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(String.UnicodeScalarView(rest))
    }
}

extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// Whether the byte is allowed in the name of a header field (RFC 9110, 5.6.2).
    var isTokenCharacter: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased) || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
}
#endif
