import Base
import Fleece

/// A sequence of the peer: an opaque JSON value that is sent back unchanged (Replication 3.6, 4.3, 5.2).
///
/// Sync Gateway uses integers and strings such as `"1234:1240"`. Only those have an order, see ``CompoundSequence``; all other values are compared
/// as text.
struct RemoteSequence: Hashable, Sendable, CustomStringConvertible {
    var json: String { text.string }
    private let text: ExactString
    /// The value if it is a non-negative integer, otherwise `nil`.
    let number: UInt64?

    init(_ number: UInt64) { self.init(text: String(number), number: number) }

    private init(text: String, number: UInt64?) {
        self.text = ExactString(text)
        self.number = number
    }

    /// Creates a sequence from a parsed JSON value; `nil` if the value cannot be written as JSON again, or is longer than
    /// ``maximumLength``.
    init?(_ value: Value, sharedKeys: SharedKeys = .empty) {
        if value.isInteger, let bits = value.integerBits, value.isUnsigned || bits >= 0 {
            self.init(UInt64(bitPattern: bits))
            return
        }
        guard let json = try? JSON.string(value, sharedKeys: sharedKeys), json.utf8.count <= Self.maximumLength else { return nil }
        self.init(text: json, number: nil)
    }

    /// Reads a JSON text of one value; `nil` if the text is invalid or longer than ``maximumLength``.
    init?(json text: String) {
        // A fast path: nearly all sequences are plain numbers.
        if let first = text.utf8.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first), let number = UInt64(text) {
            self.init(text: text, number: number)
            return
        }
        guard text.utf8.count <= Self.maximumLength, let data = try? JSON.fleece(text, allowingFragments: true),
            let sequence = data.withRoot({ RemoteSequence($0) }) ?? nil
        else { return nil }
        self = sequence
    }

    /// The maximum length of a sequence from a peer, in bytes of JSON. It is limited because thousands of sequences are kept in memory.
    static let maximumLength = 1024

    var description: String { json }
}
