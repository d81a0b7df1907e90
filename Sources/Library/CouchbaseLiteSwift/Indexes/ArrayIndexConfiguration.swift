import DatabaseRuntime
import QueryEngine

/// An index of the elements of arrays, which queries with `UNNEST` use. `ANY … SATISFIES` does not use it.
///
/// ```swift
/// let config = ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"])
/// try collection.createIndex(withName: "phones", config: config)
/// ```
///
/// The index has its own table with one row for each element, which every change of a document updates. Indexes with the same path share
/// this table.
public struct ArrayIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable {
    /// The path of the array. `[]` follows an array whose elements contain the next array of the path, as in `contacts[].phones`.
    public let path: String
    /// SQL++ expressions that are relative to an element; `nil` indexes the elements themselves. The default is `nil`.
    public let expressions: [String]?

    /// Creates the configuration of an index of array elements.
    ///
    /// - Parameters:
    ///   - path: The path of the array; see ``path``. ``Collection/createIndex(withName:config:)`` throws if it is malformed.
    ///   - expressions: SQL++ expressions that are relative to an element; `nil` indexes the elements themselves. An empty array, or an
    ///     empty expression in it, is a programming error and ends the process; see ``init(path:validating:)``.
    public init(path: String, expressions: [String]? = nil) {
        _CBLMisuse.trap { () throws(Misuse) in try Misuse.check(arrayExpressions: expressions) }
        self.path = path
        self.expressions = expressions
    }

    /// Creates the configuration of an index of array elements from expressions that may be empty; see ``init(path:expressions:)``.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the array or an expression in it is empty.
    public init(path: String, validating expressions: [String]?) throws {
        try throwingPublicErrors { try Misuse.check(arrayExpressions: expressions) }
        self.path = path
        self.expressions = expressions
    }

    func definition(named name: String) -> IndexDefinition {
        IndexDefinition(name: name, kind: .array(path: path), text: expressions?.joined(separator: ",") ?? "")
    }
}
