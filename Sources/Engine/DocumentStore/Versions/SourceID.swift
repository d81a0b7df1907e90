/// The identity of a database that makes versions: sixteen bytes, which are the public UUID of the database (Version vectors 2.1).
package struct SourceID: Hashable, Sendable {
    // The bytes as numbers with the most significant byte first, so that the order of the numbers is that of the bytes.
    private let high: UInt64
    private let low: UInt64

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The number of bytes.
    package static let size = 16

    /// The database that contains the version. Versions are stored in this form, and sent with the real ID.
    package static let me = SourceID(high: 0, low: 0)

    /// The source of versions that stand for revisions of a tree; its text is `Revision+Tree+Encoding` (Version vectors 2.8).
    package static let treeRevisions = SourceID(high: 0x45EB_E2B2_2A27_F93A, low: 0xDE7B_E127_7287_629E)

    /// Whether this is ``me``.
    package var isMe: Bool { self == .me }

    /// Copies sixteen bytes; `nil` for another number of bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.size else { return nil }
        high = bytes.loadUnaligned(as: UInt64.self).bigEndian
        low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
    }

    /// Copies sixteen bytes, for example of a public UUID; `nil` for another number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard let id = bytes.withUnsafeBytes({ SourceID($0) }) else { return nil }
        self = id
    }

    /// The first eight bytes, as a number with the most significant byte first.
    var prefix: UInt64 { high }

    /// The sixteen bytes.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
    }
}

extension SourceID: Comparable {
    /// Orders by the bytes, so ``me`` comes first.
    package static func < (left: SourceID, right: SourceID) -> Bool { (left.high, left.low) < (right.high, right.low) }
}

extension SourceID: CustomStringConvertible {
    /// The number of characters of an ID other than ``me``.
    static let textLength = 22

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Parses the text: 22 digits of base 64, of which the last one has two bits, or `*` for ``me``. Returns `nil` for any other text,
    /// and for the digits of ``me``: each ID has one text.
    init?(text: ArraySlice<UInt8>) {
        guard text.count == Self.textLength else {
            guard text.count == 1, text.first == UInt8(ascii: "*") else { return nil }
            self = .me
            return
        }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for digit in text.dropLast() {
            guard let value = Self.value(of: digit) else { return nil }
            (high, low) = (high << 6 | low >> 58, low << 6 | value)
        }
        guard let last = text.last.flatMap(Self.value(of:)), last & 0x0F == 0 else { return nil }
        self.init(high: high << 2 | low >> 62, low: low << 2 | last >> 4)
        if isMe { return nil }
    }

    private static func value(of digit: UInt8) -> UInt64? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(digit - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(digit - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// The text: `*` for ``me``, and 22 digits of base 64 for all others.
    package var description: String { String(unsafeUninitializedCapacity: Self.textLength, initializingUTF8With: write) }

    /// Writes the text, and returns its length, which is at most ``textLength``.
    func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard !isMe else {
            buffer[0] = UInt8(ascii: "*")
            return 1
        }
        var (high, low) = (high, low)
        for index in 0..<Self.textLength {
            buffer[index] = Self.alphabet[Int(high >> 58)]
            (high, low) = (high << 6 | low >> 58, low << 6)
        }
        return Self.textLength
    }
}
