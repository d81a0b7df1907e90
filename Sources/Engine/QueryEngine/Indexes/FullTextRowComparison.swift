import SQLiteEngine

/// Compares the texts in a full-text table with those of the documents, row by row (Storage format 5.11).
///
/// Spaces and the order of the parts are ignored: Couchbase Lite and earlier versions of this library concatenate the values of nested
/// arrays and dictionaries in different ways, which give the same terms.
struct FullTextRowComparison {
    /// The number of rows that the table should contain, but does not contain or contains with other texts.
    private(set) var missing: Int64 = 0
    /// The number of rows that the table contains, but should not contain or should contain with other texts.
    private(set) var extra: Int64 = 0

    /// Compares all rows.
    ///
    /// - Parameters:
    ///   - wanted: A query for the row ID and the texts of each document, ordered by row ID.
    ///   - stored: The same for the rows of the table.
    init(wanted: String, stored: String, on connection: Connection) throws {
        let wanted = try connection.prepare(wanted)
        defer { wanted.finalize() }
        let stored = try connection.prepare(stored)
        defer { stored.finalize() }
        var hasWanted = try wanted.step()
        var hasStored = try stored.step()
        while hasWanted || hasStored {
            let isStoredNext = hasStored && (!hasWanted || stored.int64(at: 0) < wanted.int64(at: 0))
            let isWantedNext = hasWanted && (!hasStored || wanted.int64(at: 0) < stored.int64(at: 0))
            if isWantedNext {
                missing += 1
                hasWanted = try wanted.step()
            } else if isStoredNext {
                extra += 1
                hasStored = try stored.step()
            } else {
                if !Self.haveSameTexts(wanted, stored) {
                    missing += 1
                    extra += 1
                }
                hasWanted = try wanted.step()
                hasStored = try stored.step()
            }
        }
    }

    private static func haveSameTexts(_ first: Statement, _ second: Statement) -> Bool {
        (1..<max(first.columnCount, 1)).allSatisfy { column in
            let texts = (first.textBytes(at: column), second.textBytes(at: column))
            return texts.0.elementsEqual(texts.1) || parts(texts.0) == parts(texts.1)
        }
    }

    private static func parts(_ text: UnsafeRawBufferPointer) -> [[UInt8]] {
        text.split(separator: UInt8(ascii: " ")).map(Array.init).sorted { $0.lexicographicallyPrecedes($1) }
    }
}
