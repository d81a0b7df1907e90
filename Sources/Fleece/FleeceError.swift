/// What was wrong with Fleece data, or with what was to be encoded.
package struct FleeceError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: Equatable, Sendable {
        /// The data is empty, has an odd length, or its trailing root pointer leads nowhere (Storage format 1.7).
        case badRoot
        /// A pointer with offset zero, one that leads before the data, or one to a value that does not end before it.
        case badPointer
        /// A value, a varint or a container's slots reach past the space they have.
        case truncated
        /// A dictionary key that is neither a string nor a small integer of the legal range.
        case badKey
        /// Dictionary keys that are not in ascending order, which binary search relies on.
        case unsortedKeys
        /// A dictionary that was given the same key twice.
        case duplicateKey
        /// A string that is not UTF-8.
        case badUTF8
        /// Containers nested deeper than ``Limits/maximumDepth``.
        case tooDeep
        /// A value graph that would expand to far more values than the data could hold (shared containers).
        case tooManyValues
        /// A key number that the table of shared keys does not know.
        case unknownSharedKey(Int)
        /// Not-a-number, which the format cannot hold.
        case notANumber
        /// More output than 2 GiB, which offsets cannot address.
        case tooLarge
        /// `finish` was called while containers were open or before exactly one root value was written.
        case unbalanced
    }

    package let reason: Reason
    /// Byte offset in the data where it was noticed; nil when encoding.
    package let offset: Int?

    package init(_ reason: Reason, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }

    package var description: String {
        let what =
            switch reason {
            case .badRoot: "no valid root"
            case .badPointer: "invalid pointer"
            case .truncated: "value is cut short"
            case .badKey: "invalid dictionary key"
            case .unsortedKeys: "dictionary keys are not in order"
            case .duplicateKey: "a dictionary key occurs twice"
            case .badUTF8: "string is not UTF-8"
            case .tooDeep: "nested deeper than \(Limits.maximumDepth) levels"
            case .tooManyValues: "shared values expand to more than can be read"
            case .unknownSharedKey(let key): "unknown shared key \(key)"
            case .notANumber: "not-a-number cannot be stored"
            case .tooLarge: "more than 2 GiB of data"
            case .unbalanced: "unbalanced arrays or dictionaries"
            }
        return offset.map { "Fleece: \(what) at byte \($0)" } ?? "Fleece: \(what)"
    }
}

/// Bounds that keep hostile data from exhausting the stack or the memory.
package enum Limits {
    /// How deep arrays and dictionaries may nest (Storage format 9.1).
    package static let maximumDepth = 101
    /// The largest encoded value: positions are 31 bits wide (Storage format 1.5).
    package static let maximumSize = Int(Int32.max)
    /// How far a narrow pointer reaches (Storage format 1.5).
    package static let narrowReach = 0x7FFE
}
