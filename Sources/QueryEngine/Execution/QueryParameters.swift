import ExactStrings
package import Fleece
import SQLiteEngine

/// The values of a query's parameters, each a Fleece value without shared keys.
package struct QueryParameters: Sendable {
    private var values: [ExactString: FleeceData] = [:]

    package init() {}

    package subscript(name: String) -> FleeceData? {
        get { values[ExactString(name)] }
        set { values[ExactString(name)] = newValue }
    }

    package var names: [String] { values.keys.sorted().map(\.string) }

    /// Binds the parameters to a statement in which `$x` stands as `$_x` (Query 5.7).
    ///
    /// - Throws: ``QueryError`` of the kind `invalidQueryParameter` for one that the query does not have.
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
            // As a double, which compares equal to a boolean property.
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
            // In the form that containers out of documents have, so that equal ones are equal as far as their numbers were
            // written alike (Storage format 5.7).
            var encoder = Encoder()
            encoder.writeCopy(of: value, keys: .empty)
            try statement.bindBlob(try encoder.finish(), at: index)
        }
    }
}
