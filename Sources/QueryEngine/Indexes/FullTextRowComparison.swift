import SQLiteEngine

/// Compares the texts that a full-text table holds with those of the documents, row by row (Storage format 5.11).
///
/// Blanks and the order of the parts do not count: the original and earlier versions of this library put the values of nested arrays
/// and dictionaries together in other ways, with the same terms.
struct FullTextRowComparison {
    /// Rows that the table lacks or has with other texts.
    private(set) var missing: Int64 = 0
    /// Rows that the table should not have, or not with these texts.
    private(set) var extra: Int64 = 0

    /// - Parameters:
    ///   - wanted: A query for the number and the texts of each document, ordered by number.
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
