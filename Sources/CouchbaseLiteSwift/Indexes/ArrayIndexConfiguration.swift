import QueryEngine

/// An index of the elements of arrays, which `UNNEST` uses.
///
/// ```swift
/// let config = ArrayIndexConfiguration(path: "contacts[].phones", expressions: ["type"])
/// try collection.createIndex(withName: "phones", config: config)
/// ```
///
/// It has a table of its own, with a row for every element, that is kept up with every change of a document. Indexes of the
/// same path share it. `ANY … SATISFIES` has no use for it.
public struct ArrayIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable {
    /// The path of the array; `[]` stands between arrays and those inside their elements.
    public let path: String
    /// SQL++ expressions relative to an element; nil for the elements themselves.
    public let expressions: [String]?

    /// An index of the elements at `path`, or of the expressions of each. An empty array of expressions, or an empty expression, is a
    /// programming error.
    public init(path: String, expressions: [String]? = nil) {
        if let expressions, expressions.isEmpty || expressions.contains("") {
            _CBLMisuse.invalidArgument("The expressions of an array index must not be empty; nil stands for the elements themselves")
        }
        self.path = path
        self.expressions = expressions
    }

    func definition(named name: String) -> IndexDefinition {
        IndexDefinition(name: name, kind: .array(path: path), text: expressions?.joined(separator: ",") ?? "")
    }
}
