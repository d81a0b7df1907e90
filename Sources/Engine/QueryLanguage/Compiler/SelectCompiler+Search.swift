import Base

/// The functions of a search besides `rank()`, which are computed from what FTS4 reports about a row (Query 6.11).
extension SelectCompiler {
    mutating func searchSQL(_ function: SearchFunction, index: String, _ arguments: [QueryExpression]) throws -> String {
        guard let match = try searchedMatch(of: index) else {
            throw QueryError.invalidQuery(
                "\(function.name)() can only be called on FTS indexes",
                hint: "; WHERE must search the index with match()"
            )
        }
        guard function.argumentCounts.contains(arguments.count) else {
            throw QueryError.invalidQuery("Wrong number of arguments to \(function.name)()")
        }
        guard arguments.allSatisfy(\.isIndependentOfRows) else {
            throw QueryError.invalidQuery("the arguments of \(function.name)() cannot depend on documents")
        }
        let columns = try record.resolver.columns(ofFullTextTable: match.table)
        switch function {
        case .bm25:
            guard arguments.count <= 2 + columns.count else {
                throw QueryError.invalidQuery(
                    "bm25() has \(arguments.count - 2) weights, but the index '\(index)' has \(columns.count) properties"
                )
            }
            return "fl_bm25(\(try (["matchinfo(\(match.column), 'pcnalx')"] + texts(arguments)).joined(separator: ", ")))"
        case .snippet:
            let column = try self.column(arguments.first, of: columns, index, function)
            let options = try texts(Array(arguments.dropFirst())) + ["NULL", "NULL", "NULL", "NULL"].dropFirst(max(0, arguments.count - 1))
            return try "fl_snippet(offsets(\(match.column)), \(options.joined(separator: ", ")), \(texts(of: column, in: match, columns)))"
        case .highlight:
            guard let column = try self.column(arguments[0], of: columns, index, function) else {
                throw QueryError.invalidQuery("highlight() needs a property of the index '\(index)'")
            }
            let options = try texts(Array(arguments.dropFirst())) + ["NULL", "NULL"].dropFirst(arguments.count - 1)
            return try
                "fl_highlight(offsets(\(match.column)), \(options.joined(separator: ", ")), \(texts(of: column, in: match, columns)))"
        }
    }

    private mutating func texts(_ arguments: [QueryExpression]) throws -> [String] { try arguments.map { try expression($0) } }

    /// Returns the number of a column and its text, or -1 and the texts of all columns.
    private func texts(of column: Int?, in match: FullTextMatch, _ columns: [String]) throws -> String {
        guard let column else {
            guard columns.count <= SearchFunction.maximumTextCount else {
                throw QueryError.invalidQuery("snippet() needs a property of the index, because it has \(columns.count)")
            }
            return (["-1"] + columns.map { "\(match.alias).\(SQLText.identifier($0))" }).joined(separator: ", ")
        }
        return "\(column), \(match.alias).\(SQLText.identifier(columns[column]))"
    }

    /// Returns the column of the property that an argument names; `nil` if it names none.
    private func column(
        _ argument: QueryExpression?,
        of columns: [String],
        _ index: String,
        _ function: SearchFunction
    ) throws -> Int? {
        switch argument {
        case nil, .null, .missing: return nil
        case .string(let property):
            let path = try? PropertyPath(encoded: property).encoded
            if let column = columns.firstIndex(where: { $0.isExactly(property) || $0.isExactly(path) }) { return column }
            let names = columns.map { "'\($0)'" }
            let hint = property.nearest(in: columns).map { "; did you mean '\($0)'?" } ?? "; it has \(names.joined(separator: ", "))"
            throw QueryError.invalidQuery("the full-text index '\(index)' has no property '\(property)'", hint: hint)
        case let other?:
            let name = if case .property(let path) = other { ", for example '\(path.encoded)'" } else { "" }
            throw QueryError.invalidQuery("the property of \(function.name)() must be a text in quotation marks\(name)")
        }
    }
}

extension QueryExpression {
    /// Whether the value is the same for all rows.
    fileprivate var isIndependentOfRows: Bool {
        !contains { part in
            switch part {
            case .property, .variable, .meta, .blob, .match, .rank, .search, .select: true
            case .function(let name, _): QueryFunction.named(name)?.isAggregate ?? false
            default: false
            }
        }
    }
}
