import Base
package import Fleece

/// A value of the app as a constant of a query.
package enum ConstantForm {
    /// An expression of the query builder, or a constant that contains no other values.
    case expression(QueryExpression)
    /// An array: its elements, which are not converted yet.
    case array([Any])
    /// A dictionary: its keys, and the values for them.
    case dictionary([String], value: (String) -> Any?)
}

extension QueryExpression {
    /// Creates a constant.
    package init(_ scalar: ScalarValue) {
        self =
            switch scalar {
            case .null: .null
            case .boolean(let boolean): .boolean(boolean)
            case .integer(let number): .integer(number)
            case .unsigned(let number): .double(Double(number))
            case .float(let number): .double(Double(number))
            case .double(let number): .double(number)
            case .string(let string): .string(string)
            case .date(let seconds): .string(ISO8601.string(nearest: seconds))
            }
    }

    /// Returns the syntax tree of a value.
    ///
    /// - Parameters:
    ///   - depth: The number of arrays and dictionaries that contain the value.
    ///   - literal: Returns the form of a value. Called with `value`, and then with each element of an array and each value of a dictionary
    ///     in it.
    /// - Throws: `invalidQuery` if values are nested too deeply, or contain themselves; the errors of `literal`.
    package static func constant(
        _ value: Any?,
        depth: Int = 0,
        _ literal: (Any?) throws(QueryError) -> ConstantForm
    ) throws(QueryError) -> QueryExpression {
        guard depth < maximumDepth else {
            throw .invalidQuery("the values of a query are nested too deeply, or contain themselves")
        }
        switch try literal(value) {
        case .expression(let expression): return expression
        case .array(let values):
            return .array(try values.map { value throws(QueryError) in try constant(value, depth: depth + 1, literal) })
        case .dictionary(let keys, let value):
            var entries: [DictionaryEntry] = []
            for key in keys.sorted(by: { $0.isOrderedBefore($1) }) {
                entries.append(DictionaryEntry(key: key, value: try constant(value(key), depth: depth + 1, literal)))
            }
            return .dictionary(entries.sortedByKey)
        }
    }

    /// Calls `check` for each value that is neither an array nor a dictionary. Values that are nested too deeply for a query are ignored.
    package static func forEachScalar<Failure: Error>(
        of value: Any?,
        depth: Int = 0,
        _ check: (Any?) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth < maximumDepth else { return }
        if let values = value as? [Any] {
            for value in values { try forEachScalar(of: value, depth: depth + 1, check) }
        } else if let values = value as? [String: Any] {
            for value in values.values { try forEachScalar(of: value, depth: depth + 1, check) }
        } else {
            try check(value)
        }
    }
}
