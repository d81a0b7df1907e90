/// An error in Fleece data, or in a value to be encoded.
public struct FleeceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong with the data or the value.
    public enum Reason: Equatable, Sendable {
        /// The data is empty, has an odd length, or its trailing root pointer is invalid (Storage format 1.7).
        case badRoot
        /// A pointer with offset zero, to a position before the data, or to a value that does not end before the pointer.
        case badPointer
        /// A value, a varint or a container's slots extend beyond the available space.
        case truncated
        /// A dictionary key that is neither a string nor a small integer in the valid range.
        case badKey
        /// Dictionary keys that are not in ascending order, as required by binary search.
        case unsortedKeys
        /// A key that occurs twice in a dictionary.
        case duplicateKey
        /// A string that is not valid UTF-8.
        case badUTF8
        /// A value that is nested more deeply than ``Limits/maximumDepth``.
        case tooDeep
        /// A value graph that would expand, by shared containers, to far more values than the data can contain.
        case tooManyValues
        /// A key number that the shared keys do not contain.
        case unknownSharedKey(Int)
        /// NaN, which the format does not support.
        case notANumber
        /// The output exceeds 2 GiB, the limit of offsets.
        case tooLarge
        /// `finish` was called while containers were open, or when not exactly one root value had been written.
        case unbalanced
    }

    /// What is wrong with the data or the value.
    public let reason: Reason
    /// The byte offset of the error in the data. `nil` when encoding.
    public let offset: Int?

    public init(_ reason: Reason, at offset: Int? = nil) {
        self.reason = reason
        self.offset = offset
    }

    public var description: String {
        let what =
            switch reason {
            case .badRoot: "no valid root"
            case .badPointer: "invalid pointer"
            case .truncated: "value is truncated"
            case .badKey: "invalid dictionary key"
            case .unsortedKeys: "dictionary keys are not sorted"
            case .duplicateKey: "duplicate dictionary key"
            case .badUTF8: "string is not valid UTF-8"
            case .tooDeep: "nested deeper than \(Limits.maximumDepth) levels"
            case .tooManyValues: "shared values expand to too many values"
            case .unknownSharedKey(let key): "unknown shared key \(key)"
            case .notANumber: "NaN cannot be stored"
            case .tooLarge: "more than 2 GiB of data"
            case .unbalanced: "unbalanced arrays or dictionaries"
            }
        return offset.map { "Fleece: \(what) at byte \($0)" } ?? "Fleece: \(what)"
    }
}

/// Limits that prevent hostile data from exhausting the stack or memory.
public enum Limits {
    /// The maximum nesting depth of arrays and dictionaries (Storage format 9.1).
    public static let maximumDepth = 101
    /// The maximum size of an encoded value, in bytes: positions have 31 bits (Storage format 1.5).
    public static let maximumSize = Int(Int32.max)
    /// The maximum distance of a narrow pointer, in bytes (Storage format 1.5).
    public static let narrowReach = 0x7FFE
    /// The maximum number of pointers of which each leads to the next. Encoders need two: a narrow pointer that leads to a wide one. Longer
    /// chains would be followed again by each pointer that leads to them (Storage format 1.5).
    public static let maximumPointers = 8
}
