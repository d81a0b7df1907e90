/// A row as it is stored in a page (SQLite, "Database File Format" 2.1).
package struct StoredRecord {
    /// A value in the form in which the row contains it.
    package enum Value: Equatable {
        /// NULL. A column that is another name of the row ID contains it too.
        case null
        /// An integer of at most 64 bits.
        case integer(Int64)
        /// A floating-point number of 64 bits.
        case real(Double)
        /// The bytes of a text, which are not validated.
        case text([UInt8])
        /// The bytes of a BLOB, with those on overflow pages.
        case blob([UInt8])

        /// The integer; `nil` for other types.
        package var integer: Int64? {
            if case .integer(let number) = self { return number }
            return nil
        }

        /// The bytes of a text or blob.
        package var bytes: [UInt8]? {
            switch self {
            case .text(let bytes), .blob(let bytes): bytes
            case .null, .integer, .real: nil
            }
        }

        /// The text; `nil` for other types, and if the bytes are not valid UTF-8.
        package var text: String? {
            if case .text(let bytes) = self { return String(validating: bytes, as: UTF8.self) }
            return nil
        }
    }

    /// The number by which the rows of the table are sorted and unique.
    package let rowID: Int64
    /// The values in the order of the columns. There can be fewer than columns, if some were added after the row was written.
    package let values: [Value]

    private static let maximumColumns = 100

    /// Returns the text in the first column of a payload of which only the beginning is known; `nil` if it is no text or is incomplete.
    static func firstText(of payload: ArraySlice<UInt8>) -> String? {
        var position = payload.startIndex
        guard let headerSize = Varint64.read(payload, &position).flatMap({ Int(exactly: $0) }), headerSize > 0, headerSize < payload.count,
            let type = Varint64.read(payload, &position).flatMap({ Int(exactly: $0) }), type >= 13, type % 2 == 1
        else { return nil }
        let start = payload.startIndex + headerSize
        guard (type - 13) / 2 <= payload.endIndex - start else { return nil }
        return String(validating: payload[start..<start + (type - 13) / 2], as: UTF8.self)
    }

    /// Decodes the payload of a cell; `nil` if it is damaged.
    init?(rowID: Int64, _ payload: [UInt8]) {
        self.rowID = rowID
        var position = 0
        guard let headerSize = Varint64.read(payload[...], &position).flatMap({ Int(exactly: $0) }), headerSize <= payload.count,
            headerSize >= position
        else { return nil }
        var types: [UInt64] = []
        while position < headerSize {
            guard types.count < Self.maximumColumns, let type = Varint64.read(payload[..<headerSize], &position) else { return nil }
            types.append(type)
        }
        var values: [Value] = []
        for type in types {
            guard let value = Self.value(type, payload, &position) else { return nil }
            values.append(value)
        }
        guard position == payload.count else { return nil }
        self.values = values
    }

    private static func value(_ type: UInt64, _ payload: [UInt8], _ position: inout Int) -> Value? {
        func consume(_ count: UInt64) -> ArraySlice<UInt8>? {
            guard count <= UInt64(payload.count - position) else { return nil }
            defer { position += Int(count) }
            return payload[position..<position + Int(count)]
        }
        func integer(_ bytes: ArraySlice<UInt8>) -> Int64 {
            let start: Int64 = (bytes.first ?? 0) & 0x80 != 0 ? -1 : 0
            return bytes.reduce(start) { $0 << 8 | Int64($1) }
        }
        switch type {
        case 0: return .null
        case 1...4: return consume(type).map { .integer(integer($0)) }
        case 5: return consume(6).map { .integer(integer($0)) }
        case 6: return consume(8).map { .integer(integer($0)) }
        case 7: return consume(8).map { .real(Double(bitPattern: UInt64(bitPattern: integer($0)))) }
        case 8: return .integer(0)
        case 9: return .integer(1)
        case 10, 11: return nil
        default: return consume((type - 12) / 2).map { type & 1 == 0 ? .blob(Array($0)) : .text(Array($0)) }
        }
    }
}

/// SQLite's numbers of one to nine bytes (SQLite, "Database File Format" 1.6).
enum Varint64 {
    /// Reads a number and advances the position; `nil` if the bytes end before it.
    static func read(_ bytes: ArraySlice<UInt8>, _ position: inout Int) -> UInt64? {
        var result: UInt64 = 0
        for count in 0..<9 {
            guard position < bytes.endIndex, position >= bytes.startIndex else { return nil }
            let byte = bytes[position]
            position += 1
            if count == 8 { return result << 8 | UInt64(byte) }
            result = result << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return result }
        }
        return nil
    }
}
