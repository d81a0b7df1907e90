/// A string that equals another only when their bytes are the same.
///
/// Swift's own `String` also equals one that merely looks the same: `é` as one character and as `e` with an accent. To Fleece, to the
/// wire and to other implementations these are two document IDs, two keys, two names. So every dictionary, set and comparison of such
/// texts below the public API uses this type, or ``Swift/String/isExactly(_:)``.
///
/// It holds the string itself and copies nothing, unless that is not stored as UTF-8, which only strings of Objective-C are not.
/// The order is that of the bytes, which is the order of the code points too.
package struct ExactString: Hashable, Comparable, Sendable {
    /// The text.
    package let string: String

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
        // No byte of UTF-8: two texts in a row hash as others than the same bytes cut elsewhere.
        hasher.combine(0xFF as UInt8)
    }
}

extension ExactString: ExpressibleByStringLiteral, CustomStringConvertible {
    package init(stringLiteral value: String) {
        self.init(value)
    }

    package var description: String { string }
}

extension Set<ExactString> {
    /// The set of some texts.
    package init(exactly strings: some Sequence<String>) {
        self.init(strings.lazy.map { ExactString($0) })
    }

    /// Whether a text is among them.
    package func contains(_ string: String) -> Bool {
        contains(ExactString(string))
    }
}
