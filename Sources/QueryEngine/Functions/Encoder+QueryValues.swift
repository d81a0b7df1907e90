import Fleece

/// Encodes query values as Fleece. The bytes are used as index keys, and SQL compares containers by them (Storage format 5.7).
extension Encoder {
    /// Writes a query value; nothing if it is MISSING. A scalar is written in its shortest form, as in a new document; an array or
    /// dictionary is copied without changing the encoding of its numbers.
    mutating func write(_ value: QueryValue) {
        switch value {
        case .missing: break
        case .null: writeNull()
        case .boolean(let flag): write(flag)
        case .integer(let number): write(number)
        case .unsigned(let number): write(unsigned: number)
        case .double(let number): number.isNaN ? writeNull() : write(number)
        case .string(let bytes): write(utf8: bytes)
        case .data(let bytes): write(data: bytes)
        case .array(let array): writeCopy(of: array, keys: .empty)
        case .dictionary(let dictionary): writeCopy(of: dictionary, keys: .empty)
        }
    }
}
