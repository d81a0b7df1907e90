import Base
import QueryLanguage

/// The indexes that a query must not use, because they contain keys for which the query computes other values (Storage format 5.10).
struct InexactIndexes: Hashable, Sendable {
    /// The statements that have created them, by table.
    private var statements: [ExactString: [String]] = [:]
    /// The tables of array indexes that do not represent the elements exactly.
    private var arrayTables: Set<ExactString> = []

    var isEmpty: Bool { statements.isEmpty && arrayTables.isEmpty }

    /// Adds an index; returns `false` if it was added before.
    mutating func insert(_ statement: String, onTable table: String) -> Bool {
        guard !contains(statement, onTable: table) else { return false }
        statements[ExactString(table), default: []].append(statement)
        return true
    }

    mutating func insert(arrayTable name: String) -> Bool { arrayTables.insert(ExactString(name)).inserted }

    func contains(arrayTable name: String) -> Bool { arrayTables.contains(ExactString(name)) }

    func contains(_ statement: String, onTable table: String) -> Bool {
        statements[ExactString(table)]?.containsExactly(statement) ?? false
    }

    /// Returns whether one of them reads a property, given as the arguments of the function that reads it: `body, 'path'`.
    func read(_ arguments: String, onTable table: String) -> Bool {
        statements[ExactString(table)]?.contains { SQLText.contains(arguments, in: $0) } ?? false
    }
}
