import Base
package import DatabaseRuntime
package import Fleece
package import Foundation

/// The values of the app that are stored as scalars (API 1.4).
extension ScalarValue {
    /// Converts a value of one of the most frequent types; `nil` for other types. Comparing types is several times faster than casting.
    package init?(frequent any: Any) {
        let type = ObjectIdentifier(Swift.type(of: any))
        if type == ObjectIdentifier(String.self), let string = any as? String {
            self = .string(string)
        } else if type == ObjectIdentifier(Int.self), let number = any as? Int {
            self = .integer(Int64(number))
        } else if type == ObjectIdentifier(Bool.self), let boolean = any as? Bool {
            self = .boolean(boolean)
        } else if type == ObjectIdentifier(Double.self), let number = any as? Double {
            self = .double(number)
        } else {
            return nil
        }
    }

    /// Converts a value; `nil` if its type is not stored as a scalar.
    ///
    /// - Throws: ``Misuse`` if it is an integer that cannot be stored.
    package init?(_ any: Any) throws(Misuse) {
        switch any {
        // This case is first because casts of an optional in `Any` look through it to the wrapped value. `nil` matches no other case.
        case let optional as any OptionalValue where optional.wrapped == nil: self = .null
        case is NSNull: self = .null
        // An `NSNumber` would also cast to `Bool` and to every number type that can represent its value.
        case let number as NSNumber where type(of: any) is NSNumber.Type: self.init(number)
        case let number as any FixedWidthInteger: try self.init(wholeNumber: number)
        case let value as any AdaptedScalar: self = value.adapted
        case let boolean as Bool: self = .boolean(boolean)
        case let number as Float: self = .float(number)
        case let number as Double: self = .double(number)
        case let number as NSNumber: self.init(number)
        case let number as any BinaryFloatingPoint: self = .double(Double(number))
        case let string as String: self = .string(string)
        // Objects of Foundation.
        case let date as Date: self = date.adapted
        case let url as URL: self = url.adapted
        case let uuid as UUID: self = uuid.adapted
        default: return nil
        }
    }

    private init(wholeNumber number: any FixedWidthInteger) throws(Misuse) {
        if let signed = Int64(exactly: number) {
            self = .integer(signed)
        } else if let unsigned = UInt64(exactly: number) {
            self = .unsigned(unsigned)
        } else {
            throw .badValue("An integer is out of range: only values of Int64 and UInt64 can be stored.")
        }
    }

    /// Converts an `NSNumber`, which preserves the type it was created with; booleans are two distinct objects (API 17).
    package init(_ number: NSNumber) {
        if number === trueNumber {
            self = .boolean(true)
        } else if number === falseNumber {
            self = .boolean(false)
        } else if let decimal = number as? NSDecimalNumber {
            // A class of numbers, so this is a number even if it has more digits than one can have.
            if let stored = decimal.decimalValue.stored, stored.string == nil { self = stored } else { self = .double(decimal.doubleValue) }
        } else {
            switch UInt8(bitPattern: number.objCType.pointee) {
            case UInt8(ascii: "f"): self = .float(number.floatValue)
            case UInt8(ascii: "d"): self = .double(number.doubleValue)
            case UInt8(ascii: "Q"): self = .unsigned(number.uint64Value)
            default: self = .integer(number.int64Value)
            }
        }
    }
}

// The objects are immutable and therefore safe to share.
private let trueNumber = NSNumber(value: true)
private let falseNumber = NSNumber(value: false)

/// The values that the app receives.
extension ScalarValue {
    /// The number or boolean; `nil` for other types.
    package var number: NSNumber? {
        switch self {
        case .boolean(let boolean): NSNumber(value: boolean)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .float(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .null, .string, .date: nil
        }
    }

    /// The date of an ISO-8601 string, or the date that was set, in milliseconds if it can be stored; `nil` for other values.
    package var date: Date? {
        if case .date(let seconds) = self {
            let milliseconds = ISO8601.storedMilliseconds(seconds: seconds)
            return Date(timeIntervalSince1970: milliseconds.map { Double($0) / 1000 } ?? seconds)
        }
        return string.flatMap { ISO8601.parse($0) }.flatMap(Date.init)
    }

    /// A `String`, an `NSNumber` for a number or boolean, or `NSNull`. A date that was set is the string that is stored; the date itself if it
    /// cannot be stored.
    package var any: Any {
        switch self {
        case .null: NSNull()
        case .string(let string): string
        case .date(let seconds): string ?? Date(timeIntervalSince1970: seconds)
        case .boolean, .integer, .unsigned, .float, .double: number ?? NSNull()
        }
    }

    /// The value as `print` and debuggers show it.
    package var preview: PreviewValue {
        switch self {
        case .null: .null
        case .boolean(let boolean): .boolean(boolean)
        case .integer(let number): .number("\(number)", object: any)
        case .unsigned(let number): .number("\(number)", object: any)
        case .float(let number): .number("\(number)", object: any)
        case .double(let number): .number("\(number)", object: any)
        case .string(let string): .text(string)
        // The description of a date that is not finite traps.
        case .date(let seconds): .text(string ?? "\(seconds) seconds since 1970")
        }
    }
}

extension Value {
    /// The date of an ISO-8601 string; `nil` for other values.
    package var date: Date? { stringBytes.flatMap(ISO8601.parse).flatMap(Date.init) }
}

/// Equality by content (API 1.4): numbers of different types can be equal, and strings are compared by bytes.
extension ScalarValue {
    /// Returns whether both values have the same content.
    package func isEqual(to other: ScalarValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.date(let left), .date(let right)) where left == right: true
        case (.date, _), (_, .date): string.flatMap { left in other.string.map { left.isExactly($0) } } ?? false
        default: isEqualNumber(other)
        }
    }

    private func isEqualNumber(_ other: ScalarValue) -> Bool {
        guard isNumber, other.isNumber else { return false }
        switch (exactInteger, other.exactInteger) {
        case (let left?, let right?): return left == right
        case (nil, nil): return double == other.double
        default: return false
        }
    }

    private var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .float, .double: true
        case .null, .boolean, .string, .date: false
        }
    }

    /// The number as an integer, all of which fit in 128 bits; `nil` if it is not integral, or a larger floating-point number.
    private var exactInteger: Int128? {
        switch self {
        case .integer(let number): Int128(number)
        case .unsigned(let number): Int128(number)
        case .float(let number): Int128(exactly: number)
        case .double(let number): Int128(exactly: number)
        case .null, .boolean, .string, .date: nil
        }
    }

    /// Feeds the hasher so that values which are equal by content have equal hashes.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let boolean): hasher.combine(boolean)
        case .string(let string): hasher.combine(string)
        case .date(let seconds): if let string { hasher.combine(string) } else { hasher.combine(seconds) }
        // Equal numbers of different types are equal as doubles, so they have equal hashes.
        case .integer, .unsigned, .float, .double: hasher.combine(double)
        }
    }
}
