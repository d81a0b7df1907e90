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

/// The documents that a collection must have after a statement of the conformance file.
package struct ExpectedDocuments {
    private let documents: [(String, Value)]
    /// The properties of the documents with random IDs.
    private let unnamed: [Value]

    /// Creates the documents of a collection; `nil` if the row does not determine them.
    ///
    /// - Parameters:
    ///   - row: The row of the file, which must be kept while this is used.
    ///   - collection: The name with the scope; `nil` for the default collection.
    package init?(_ row: Value, in collection: String? = nil) {
        let after = collection.map { row["afterCollections"]?[$0] } ?? row["after"]
        let isUnchanged = row["error"] != nil || row["count"]?.int64 == 0
        guard after != nil || isUnchanged else { return nil }
        let before = collection.map { row["collections"]?[$0] } ?? row["docs"]
        let deleted = collection == nil ? row["deleted"]?.items.compactMap(\.string) ?? [] : []
        documents = after?.entries ?? (before?.entries ?? []).filter { !deleted.contains($0.0) }
        unnamed = collection == nil ? row["unnamed"]?.items ?? [] : []
    }

    /// Returns what is wrong with the documents found; `nil` if they are as expected.
    package func difference(_ found: [(id: String, body: Value)]) -> String? {
        var missing = documents
        var left = unnamed
        for (id, body) in found {
            if let index = missing.firstIndex(where: { $0.0.utf8.elementsEqual(id.utf8) }) {
                guard body.matches(missing.remove(at: index).1) else { return "the document \(id) has other properties" }
            } else if let index = left.firstIndex(where: { body.matches($0) }) {
                left.remove(at: index)
            } else {
                return "there is a document \(id)"
            }
        }
        return missing.isEmpty && left.isEmpty ? nil : "\(missing.map(\.0)) and \(left.count) other documents are missing"
    }
}
