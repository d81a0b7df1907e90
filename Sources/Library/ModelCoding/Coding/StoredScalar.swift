import Fleece

/// A type that is stored in documents as a single number, boolean or string.
protocol StoredScalar: Codable {
    /// Returns `nil` if `value` is of another type, or a number that this type cannot represent.
    init?(stored value: Value)

    /// The type of the values that this type decodes.
    static var storedType: ValueType { get }

    func write(into encoder: inout Fleece.Encoder)

    /// The reason why the value cannot be stored in a document; `nil` if it can.
    var refusal: String? { get }
}

extension StoredScalar {
    var refusal: String? { nil }
}

extension Bool: StoredScalar {
    init?(stored value: Value) { if let boolean = value.boolean { self = boolean } else { return nil } }
    static var storedType: ValueType { .boolean }
    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}

extension String: StoredScalar {
    init?(stored value: Value) { if let string = value.string { self = string } else { return nil } }
    static var storedType: ValueType { .string }
    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}

extension StoredScalar where Self: FixedWidthInteger {
    init?(stored value: Value) {
        if let bits = value.integerBits {
            if value.isUnsigned, bits < 0 {
                self.init(exactly: UInt64(bitPattern: bits))
            } else {
                self.init(exactly: bits)
            }
        } else if let number = value.floatingPoint {
            self.init(exactly: number)
        } else {
            return nil
        }
    }

    static var storedType: ValueType { .number }

    /// Writes a signed integer if the value fits in 64 signed bits, as documents do.
    func write(into encoder: inout Fleece.Encoder) {
        if let signed = Int64(exactly: self) {
            encoder.write(signed)
        } else {
            encoder.write(unsigned: UInt64(truncatingIfNeeded: self))
        }
    }
}

extension Int: StoredScalar {}
extension Int8: StoredScalar {}
extension Int16: StoredScalar {}
extension Int32: StoredScalar {}
extension Int64: StoredScalar {}
extension UInt: StoredScalar {}
extension UInt8: StoredScalar {}
extension UInt16: StoredScalar {}
extension UInt32: StoredScalar {}
extension UInt64: StoredScalar {}

extension StoredScalar where Self: BinaryFloatingPoint {
    static var storedType: ValueType { .number }

    var refusal: String? { isFinite ? nil : "\(self) cannot be stored, only finite numbers can" }
}

extension Double: StoredScalar {
    init?(stored value: Value) {
        guard value.type == .number, let number = value.double else { return nil }
        self = number
    }

    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}

extension Float: StoredScalar {
    /// Rounds to the nearest `Float`; `nil` if the number exceeds its range.
    init?(stored value: Value) {
        guard let number = Double(stored: value) else { return nil }
        self.init(number)
        guard isFinite || !number.isFinite else { return nil }
    }

    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}
