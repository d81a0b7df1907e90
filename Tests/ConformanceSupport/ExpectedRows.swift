package import Fleece

/// The expected rows of a query of the conformance file.
package struct ExpectedRows {
    private let rows: [Value]
    private let isOrdered: Bool

    /// - Parameter row: The row of the file, which must be kept while this is used.
    package init(_ row: Value) {
        rows = row["expect"]?.items ?? []
        isOrdered = row["ordered"]?.boolean ?? true
    }

    /// Returns what is wrong with the rows found; nil if they are as expected.
    ///
    /// - Parameters:
    ///   - count: How many rows were found.
    ///   - titles: The titles of their columns.
    ///   - value: The value in a row and a column; nil when it is missing.
    package func difference(count: Int, titles: [String], value: (Int, Int) -> Value?) -> String? {
        guard count == rows.count else { return "\(count) rows in place of \(rows.count): \(text)" }
        func equals(_ index: Int, _ wanted: Value) -> Bool {
            titles.indices.allSatisfy { column in
                switch (value(index, column), wanted[titles[column]]) {
                case (nil, nil): true
                case (let value?, let wanted?): value.matches(wanted)
                default: false
                }
            }
        }
        if isOrdered {
            let wrong = rows.indices.first { !equals($0, rows[$0]) }
            return wrong.map { "row \($0) differs; expected \(text)" }
        }
        var left = Array(rows.indices)
        for wanted in rows {
            guard let match = left.firstIndex(where: { equals($0, wanted) }) else { return "expected \(text)" }
            left.remove(at: match)
        }
        return nil
    }

    private var text: String {
        "\(rows.map { (try? JSON.string($0)) ?? "?" })"
    }
}
