/// A string that is equal to another only if their UTF-8 bytes are equal.
///
/// Swift's `String` also treats canonically equivalent strings as equal: `é` as one character and as `e` with a combining accent. In
/// Fleece, on the wire and in other implementations these are two document IDs, two keys, two names. So all dictionaries, sets and
/// comparisons of such strings below the public API use this type, or ``Swift/String/isExactly(_:)``.
///
/// It holds the string itself and copies nothing, unless the string is not stored as UTF-8, as some Objective-C strings are. The order is
/// that of the bytes, which is also the order of the code points.
package struct ExactString: Hashable, Comparable, Sendable {
    /// The string.
    package let string: String

    /// Wraps a string, which is copied only if it is not stored as UTF-8.
    package init(_ string: String) {
        var string = string
        string.makeContiguousUTF8()
        self.string = string
    }

    package static func == (left: ExactString, right: ExactString) -> Bool {
        left.string.isExactly(right.string)
    }

    package static func < (left: ExactString, right: ExactString) -> Bool {
        left.string.isOrderedBefore(right.string)
    }

    package func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // 0xFF never occurs in UTF-8: two consecutive strings hash differently from the same bytes split elsewhere.
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactString: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) { self.init(value) }

    package var description: String { string }
}

extension Set<ExactString> {
    /// Creates a set of strings.
    package init(exactly strings: some Sequence<String>) {
        self.init(strings.lazy.map { ExactString($0) })
    }

    /// Whether the set contains a string with the same bytes.
    package func contains(_ string: String) -> Bool { contains(ExactString(string)) }
}
