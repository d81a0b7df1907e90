import Base
package import DocumentStore
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

        /// Returns the range in the text; `nil` if the text has changed and has no such range any more.
        package func range(in text: String) -> Range<String.Index>? {
            guard let start = text.utf8.index(text.startIndex, offsetBy: bytes.lowerBound, limitedBy: text.endIndex),
                let end = text.utf8.index(start, offsetBy: bytes.count, limitedBy: text.endIndex)
            else { return nil }
            return start..<end
        }
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

    /// Takes the hits from the result of FTS4's `offsets` function, which has four numbers for each hit
    /// (https://www.sqlite.org/fts3.html#offsets).
    init(in table: Table, documentNumber: Int64, offsets: UnsafeRawBufferPointer) {
        self.table = table
        self.documentNumber = documentNumber
        hits = Self.hits(inOffsets: offsets)
    }

    /// Parses the result of `offsets`.
    static func hits(inOffsets offsets: UnsafeRawBufferPointer) -> [Hit] {
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
        return hits
    }
}

extension [RowMatches.Hit] {
    /// The column of the first property with the most different terms; `nil` if there is no hit.
    var bestColumn: Int? {
        let columns = Dictionary(grouping: self, by: \.column).mapValues { Set($0.map(\.term)).count }
        return columns.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key
    }
}

extension RowMatches {
    /// The hits in the property that has the first one.
    package var hitsInFirstProperty: [Hit] { hits.filter { $0.column == hits.first?.column } }

    /// The column of the first property with the most different terms; `nil` if there is no hit.
    package var bestColumn: Int? { hits.bestColumn }

    /// Returns the path of the property in a column of the index; `nil` if there is no such column.
    package func property(ofColumn column: Int) -> String? { table.columns.indices.contains(column) ? table.columns[column] : nil }

    /// Returns the column of the index that contains a property; `nil` if there is none.
    package func column(of property: String) -> Int? { table.columns.firstIndex { $0.isExactly(property) } }

    /// Reads the current text of the property that has the first hit, like ``indexedText(column:on:)``; `nil` if there is no hit.
    package func firstIndexedText(on file: DatabaseFile) throws -> String? {
        try hits.first.flatMap { try indexedText(column: $0.column, on: file) }
    }

    /// Reads the current text of a property in the full-text index that reported the matches; `nil` if the document, the index or its
    /// column no longer exists.
    ///
    /// - Parameter column: The column of the property in the index, as in ``Hit``.
    package func indexedText(column: Int, on file: DatabaseFile) throws -> String? {
        guard table.columns.indices.contains(column) else { return nil }
        let name = table.columns[column]
        return try file.read { context in
            // The index may have been replaced since the query ran.
            guard try SearchIndex.columns(ofTable: table.name, on: context.connection).containsExactly(name) else { return nil }
            let statement = try context.connection.prepare(
                "SELECT \(name.quotedIdentifier) FROM \(table.name.quotedIdentifier) WHERE docid = ?"
            )
            defer { statement.finalize() }
            try statement.bind(documentNumber, at: 1)
            return try statement.step() ? statement.optionalText(at: 0) : nil
        }
    }
}
