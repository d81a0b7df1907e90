import Base

/// A call of a predictive model: `PREDICTION(model, input [, path])` (Vector search 8.2).
package struct ModelCall: Sendable, Hashable {
    /// The name of the function, in small letters.
    package static let functionName = "prediction"

    /// The name under which the model is registered.
    package let model: String
    /// The expression whose value is the input.
    package let input: QueryExpression
    /// The path in the output, as it is written; `nil` for the whole output.
    package let path: String?

    /// Returns whether a function of this name calls models.
    static func isFunction(_ name: String) -> Bool { name.lowercased() == functionName }

    /// Creates the call with these arguments.
    ///
    /// - Throws: ``QueryError`` if their number is wrong, or if they name no model or no path.
    init(arguments: [QueryExpression]) throws(QueryError) {
        guard arguments.count >= 2 else { throw .invalidQuery("Too few arguments for function 'prediction'") }
        guard arguments.count <= 3 else { throw .invalidQuery("Too many arguments for function 'prediction'") }
        guard case .string(let model) = arguments[0] else {
            throw .invalidQuery("the first argument of prediction() must be the name of a model")
        }
        self.model = model
        input = arguments[1]
        path = try arguments.count == 3 ? Self.path(arguments[2]) : nil
    }

    /// Returns the call that an expression is; `nil` if it is another expression, or one that cannot be compiled.
    init?(_ expression: QueryExpression) {
        guard case .function(let name, let arguments) = expression, Self.isFunction(name), let call = try? ModelCall(arguments: arguments)
        else { return nil }
        self = call
    }

    /// Creates the call of an index on paths in the output, each an argument of its own (Vector search FP-1).
    ///
    /// - Throws: ``QueryError`` if the expression is no call, names no model, or a path is malformed.
    package static func indexed(_ expression: QueryExpression) throws(QueryError) -> (call: ModelCall, paths: [PropertyPath]) {
        guard case .function(let name, let arguments) = expression, isFunction(name) else {
            throw .invalidQuery("Predictive index requires a PREDICT() expression")
        }
        let call = try ModelCall(arguments: Array(arguments.prefix(2)))
        var paths: [PropertyPath] = []
        for argument in arguments.dropFirst(2) {
            let path = try PropertyPath(encoded: try Self.path(argument))
            guard !path.isEmpty else { throw .invalidQuery("a property of a predictive index must not be empty") }
            paths.append(path)
        }
        return (call, paths)
    }

    private static func path(_ argument: QueryExpression) throws(QueryError) -> String {
        switch argument {
        case .string(let text): return text
        case .property(let path): return "." + path.encoded
        default: throw .invalidQuery("the third argument of prediction() must be a property of the output")
        }
    }
}
