import Fleece

// Rows are compared by their bytes, because equal values always have the same encoding.
extension RecordedRows {
    /// Returns whether a row is equal to a row of another result of the same query.
    func hasSameRow(_ row: Int, as otherRow: Int, of other: RecordedRows) -> Bool {
        let (own, others) = (cells(ofRow: row), other.cells(ofRow: otherRow))
        guard let ownStart = own.first?.offset, let othersStart = others.first?.offset else { return true }
        guard bytes(of: own) == other.bytes(of: others) else { return false }
        return zip(own.dropLast(), others.dropLast()).allSatisfy {
            $0.offset - ownStart == $1.offset - othersStart && $0.isDocument == $1.isDocument
        }
    }

    /// Returns whether a cell is equal to a cell of the same column in another result of the same query.
    func hasSameCell(_ column: Int, ofRow row: Int, as otherRow: Int, of other: RecordedRows) -> Bool {
        let (own, others) = (cells(ofRow: row), other.cells(ofRow: otherRow))
        return own[own.startIndex + column].isDocument == others[others.startIndex + column].isDocument
            && bytes(of: own.dropFirst(column).prefix(2)) == other.bytes(of: others.dropFirst(column).prefix(2))
    }

    func hashRow(_ row: Int, into hasher: inout Hasher) { hasher.combine(bytes: bytes(of: cells(ofRow: row)).bytes) }

    func hashCell(_ column: Int, ofRow row: Int, into hasher: inout Hasher) {
        hasher.combine(bytes: bytes(of: cells(ofRow: row).dropFirst(column).prefix(2)).bytes)
    }

    /// Returns the bytes from the first of the cells up to the last, which is not included.
    private func bytes(of cells: ArraySlice<Cell>) -> Bytes {
        guard let start = cells.first?.offset, let end = cells.last?.offset else { return Bytes(bytes: data.bytes[0..<0]) }
        return Bytes(bytes: data.bytes[Int(start)..<Int(end)])
    }
}

/// Bytes in the buffer of recorded rows, which the caller retains.
private struct Bytes: Equatable {
    let bytes: UnsafeRawBufferPointer

    init(bytes: Slice<UnsafeRawBufferPointer>) { self.bytes = UnsafeRawBufferPointer(rebasing: bytes) }

    static func == (left: Bytes, right: Bytes) -> Bool {
        left.bytes.count == right.bytes.count && compareBytes(left.bytes, right.bytes) == 0
    }
}
