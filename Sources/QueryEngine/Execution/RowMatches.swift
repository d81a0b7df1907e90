import SQLiteEngine

/// Where the terms of a full-text pattern stand in the document of a row (Query 6.6).
package struct RowMatches: Sendable, Hashable {
    /// A term of the pattern in the indexed text of a property.
    package struct Hit: Sendable, Hashable {
        /// The number of the property in the index.
        package let column: Int
        /// The number of the term in the pattern.
        package let term: Int
        /// Where it stands in the text, in bytes of UTF-8.
        package let bytes: Range<Int>
    }

    /// What the document is called in the tables of the first full-text index of the query.
    let documentNumber: Int64
    /// The hits in the first full-text index, in the order of the properties and of their texts.
    package let hits: [Hit]

    /// Reads what FTS4's `offsets` gives: four numbers for each hit (https://www.sqlite.org/fts3.html#offsets).
    init(documentNumber: Int64, offsets: UnsafeRawBufferPointer) {
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
