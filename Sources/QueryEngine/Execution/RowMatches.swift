import SQLiteEngine

/// The positions of the terms of a full-text pattern in the document of a row (Query 6.6).
package struct RowMatches: Sendable, Hashable {
    /// An occurrence of a term of the pattern in the indexed text of a property.
    package struct Hit: Sendable, Hashable {
        /// The column of the property in the index, from 0.
        package let column: Int
        /// The position of the term in the pattern, from 0.
        package let term: Int
        /// The range of the occurrence in the text, in UTF-8 bytes.
        package let bytes: Range<Int>
    }

    /// A full-text table as it was when the query ran.
    struct Table: Sendable, Hashable {
        let name: String
        /// The names of the columns, in order.
        let columns: [String]
    }

    /// The table of the query's first full-text index.
    let table: Table
    /// The row ID of the document in the table.
    let documentNumber: Int64
    /// The hits in the first full-text index, ordered by property and then by position in the text.
    package let hits: [Hit]

    /// Parses the result of FTS4's `offsets` function, which has four numbers for each hit (https://www.sqlite.org/fts3.html#offsets).
    init(in table: Table, documentNumber: Int64, offsets: UnsafeRawBufferPointer) {
        self.table = table
        self.documentNumber = documentNumber
        var numbers: [Int] = []
        var number: Int?
        for byte in offsets {
            if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
                number = (number ?? 0) &* 10 &+ Int(byte - UInt8(ascii: "0"))
            } else if let found = number {
                numbers.append(found)
                number = nil
            }
        }
        if let number { numbers.append(number) }
        var hits: [Hit] = []
        for index in stride(from: 0, through: numbers.count - 4, by: 4) {
            let (start, count) = (max(0, numbers[index + 2]), max(0, numbers[index + 3]))
            let (end, isOverflow) = start.addingReportingOverflow(count)
            hits.append(Hit(column: numbers[index], term: numbers[index + 1], bytes: start..<(isOverflow ? .max : end)))
        }
        self.hits = hits
    }
}
