import ExactStrings
package import Fleece

/// A sequence of the peer's: any JSON value, given back as it came (Replication 3.6, 4.3, 5.2).
///
/// Sync Gateway counts, or says `"1234:1240"`; only whole numbers have an order, and the others are compared as texts.
package struct RemoteSequence: Hashable, Sendable {
    /// The value as JSON.
    package var json: String { text.string }
    private let text: ExactString
    /// The value, if it is a whole number.
    package let number: UInt64?

    package init(_ number: UInt64) {
        self.init(text: String(number), number: number)
    }

    private init(text: String, number: UInt64?) {
        self.text = ExactString(text)
        self.number = number
    }

    /// A value that was read from JSON; nil if it cannot be written as such again, or is longer than ``maximumLength``.
    package init?(_ value: Value, sharedKeys: SharedKeys = .empty) {
        if value.isInteger, let bits = value.integerBits, value.isUnsigned || bits >= 0 {
            self.init(UInt64(bitPattern: bits))
            return
        }
        guard let json = try? JSON.string(value, sharedKeys: sharedKeys), json.utf8.count <= Self.maximumLength else { return nil }
        self.init(text: json, number: nil)
    }

    /// Reads a JSON text of one value; nil if it is none, or is longer than ``maximumLength``.
    package init?(json text: String) {
        // Nearly all are plain numbers.
        if let first = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first),
            let number = UInt64(text)
        {
            self.init(text: text, number: number)
            return
        }
        guard text.utf8.count <= Self.maximumLength, let data = try? JSON.fleece(text, allowingFragments: true),
            let sequence = data.withRoot({ RemoteSequence($0) }) ?? nil
        else { return nil }
        self = sequence
    }

    /// Longer sequences, in bytes of JSON, are not taken from a peer: they are kept by the thousand.
    package static let maximumLength = 1024
}

extension RemoteSequence: CustomStringConvertible {
    package var description: String { json }
}
