import Fleece

/// Values of queries as Fleece. Their bytes are keys of indexes, and are what SQL compares containers by (Storage format 5.7).
extension Encoder {
    /// Writes a value of a query; nothing for MISSING. A scalar is written in its shortest form, as it would be in a new document;
    /// an array or dictionary is copied with the numbers as they stand in it.
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
