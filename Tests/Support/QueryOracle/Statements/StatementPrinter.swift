import QueryLanguage

/// Prints statements that change documents as SQL++ text; `nil` for those that SQL++ text cannot express.
enum StatementPrinter {
    static func text(of statement: DataStatement) -> String? { try? text(statement) }

    private static func text(_ statement: DataStatement) throws -> String {
        var text: String
        switch statement.change {
        case .update(let assignments):
            text = "UPDATE \(target(statement.target)) \(try changes(assignments, statement.target.alias))"
        case .delete: text = "DELETE FROM \(target(statement.target))"
        case .insert(let insertion, let replaces):
            text = "\(replaces ? "UPSERT" : "INSERT") INTO \(target(statement.target)) \(try documents(insertion))"
        }
        if let condition = statement.condition { text += " WHERE \(try expression(condition))" }
        if let limit = statement.limit { text += " LIMIT \(try expression(limit))" }
        guard !statement.returning.isEmpty else { return text }
        let results = try statement.returning.map { item in
            try expression(item.expression) + (item.title.map { " AS \(SQLPlusPlusPrinter.name($0))" } ?? "")
        }
        return text + " RETURNING " + results.joined(separator: ", ")
    }

    private static func expression(_ expression: QueryExpression) throws -> String { try SQLPlusPlusPrinter.expression(expression) }

    private static func target(_ source: Source) -> String {
        guard case .collection(let path) = source.origin else { return "" }
        let names = [path.scope, path.name ?? "_"].compactMap(\.self).map { SQLPlusPlusPrinter.name($0) }
        return names.joined(separator: ".") + (source.alias.map { " AS \(SQLPlusPlusPrinter.name($0))" } ?? "")
    }

    /// Returns the clauses SET and UNSET, in the order of the assignments. Every other path begins with the alias.
    private static func changes(_ assignments: [DataStatement.Assignment], _ alias: String?) throws -> String {
        var text = ""
        var isSetting: Bool?
        for (index, assignment) in assignments.enumerated() {
            let sets = assignment.value != nil
            text += isSetting == sets ? ", " : sets ? " SET " : " UNSET "
            isSetting = sets
            let prefix = index % 2 == 0 ? alias.map { [PropertyPath.Component.key($0)] } ?? [] : []
            text += try SQLPlusPlusPrinter.path(PropertyPath(prefix + assignment.path.components))
            if let value = assignment.value { text += " = \(try expression(value))" }
        }
        return text
    }

    private static func documents(_ insertion: DataStatement.Insertion) throws -> String {
        switch insertion {
        case .values(let rows):
            let values = try rows.map { row in
                try "(\(row.key.map { try expression($0) + ", " } ?? "")\(expression(row.value)))"
            }
            return "(\(rows.first?.key == nil ? "" : "KEY, ")VALUE) VALUES " + values.joined(separator: ", VALUES ")
        case .select(let select, let key, let value):
            let columns = "(\(key.map { "KEY \(SQLPlusPlusPrinter.name($0)), " } ?? "")VALUE \(SQLPlusPlusPrinter.name(value)))"
            return columns + " " + (try SQLPlusPlusPrinter.query(select))
        }
    }
}
