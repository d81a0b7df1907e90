import Fleece

/// The types that stand in documents as single numbers, booleans and strings.
protocol StoredScalar: Codable {
    /// Nil when `value` is of another kind, or a number that this type does not hold.
    init?(stored value: Value)

    /// Which values of documents this type stands for.
    static var storedType: ValueType { get }

    func write(into encoder: inout Fleece.Encoder)

    /// Why the value cannot stand in a document; nil when it can.
    var refusal: String? { get }
}

extension StoredScalar {
    var refusal: String? { nil }
}

extension Bool: StoredScalar {
    init?(stored value: Value) {
        guard let boolean = value.boolean else { return nil }
        self = boolean
    }

    static var storedType: ValueType { .boolean }

    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}

extension String: StoredScalar {
    init?(stored value: Value) {
        guard let string = value.string else { return nil }
        self = string
    }

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

    /// As in documents, integers are stored as signed ones whenever they can be.
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

    var refusal: String? {
        isFinite ? nil : "\(self) cannot be stored, only finite numbers can"
    }
}

extension Double: StoredScalar {
    init?(stored value: Value) {
        guard value.type == .number, let number = value.double else { return nil }
        self = number
    }

    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}

extension Float: StoredScalar {
    /// The nearest number; nil for those beyond the range.
    init?(stored value: Value) {
        guard let number = Double(stored: value) else { return nil }
        self.init(number)
        guard isFinite || !number.isFinite else { return nil }
    }

    func write(into encoder: inout Fleece.Encoder) { encoder.write(self) }
}
