import ExactStrings
package import Fleece
import SQLiteEngine

/// The values of a query's parameters, each encoded as Fleece without shared keys.
package struct QueryParameters: Sendable {
    private var values: [ExactString: FleeceData] = [:]

    package init() {}

    /// The value of the parameter `$name`; `nil` if it is not set.
    package subscript(name: String) -> FleeceData? {
        get { values[ExactString(name)] }
        set { values[ExactString(name)] = newValue }
    }

    /// The names of the parameters that are set, sorted.
    package var names: [String] { values.keys.sorted().map(\.string) }

    /// Returns whether the value of a parameter is a pattern for which the LIKE of the compiled query is slow.
    func hasSlowPattern(in query: CompiledQuery) -> Bool {
        query.patternParameters.contains { name in
            values[ExactString(name)]?.withRoot { value in
                value.stringBytes.map { !SQLText.isFastPattern($0) } ?? false
            } ?? false
        }
    }

    /// Binds the parameters to a statement, where the parameter `$x` is named `$_x` (Query 5.7). Parameters without a value are bound to
    /// NULL.
    ///
    /// - Throws: ``QueryError`` of the kind `invalidQueryParameter` if the query has no parameter of a given name.
    func bind(to statement: Statement, of query: CompiledQuery) throws {
        for name in names where !query.parameterNames.containsExactly(name) {
            throw QueryError(.invalidQueryParameter, "Unknown query property '\(name)'")
        }
        for name in query.parameterNames {
            guard let index = statement.parameterIndex(named: "$_" + name) else { continue }
            guard let data = values[ExactString(name)] else {
                try statement.bindNull(at: index)
                continue
            }
            try data.withRoot { root in try bind(root, at: index, to: statement) }
        }
    }

    private func bind(_ value: Value?, at index: Int, to statement: Statement) throws {
        guard let value else { return try statement.bindNull(at: index) }
        switch value.type {
        case .null, .undefined:
            try statement.bindNull(at: index)
        case .boolean:
            // Bound as a double, which compares equal to a boolean property.
            try statement.bind(value.boolean == true ? 1.0 : 0.0, at: index)
        case .number:
            if let integer = value.integerBits, !value.isUnsigned || integer >= 0 {
                try statement.bind(integer, at: index)
            } else {
                try statement.bind(value.double ?? 0, at: index)
            }
        case .string:
            try statement.bindText(value.stringBytes ?? UnsafeRawBufferPointer(start: nil, count: 0), at: index)
        case .data, .array, .dictionary:
            // Encoded in the same way as containers from documents, so that equal containers compare equal if their numbers have the same
            // form (Storage format 5.7).
            var encoder = Encoder()
            encoder.writeCopy(of: value, keys: .empty)
            try statement.bindBlob(try encoder.finish(), at: index)
        }
    }
}
