import DocumentStore
import Fleece
import SQLiteEngine

/// What the SQL functions of one connection have in common.
final class FunctionEnvironment {
    // Not counted: the context keeps the connection, and the connection keeps its functions and with them this object. The
    // context is the connection's attachment, so it is there for as long as a function can be called.
    unowned(unsafe) let context: ConnectionContext
    // Exclusivity is given by the connection's owner: one thread at a time, and no function calls another.
    @exclusivity(unchecked) var encoder = Encoder()
    @exclusivity(unchecked) var patterns = PatternCache<RegularExpression>()
    /// The patterns of LIKE, each of a collation.
    @exclusivity(unchecked) var likePatterns = PatternCache<LikePattern>()

    init(_ context: ConnectionContext) {
        self.context = context
    }

    /// Whether the statement that is being run has been interrupted.
    var isInterrupted: Bool { context.connection.isInterrupted }

    /// The work of a function that looks at text for long, which is given up when the statement is interrupted.
    var effort: MatchEffort { MatchEffort(interruptedWith: context.connection) }

    /// The keys that the bodies visible now may use.
    var sharedKeys: SharedKeys { context.sharedKeys }
}

/// A call of a function that is no hot spot, with everything it needs.
struct FunctionCall {
    let context: FunctionContext
    let arguments: FunctionArguments
    let environment: FunctionEnvironment

    var count: Int { arguments.count }

    /// An argument as a value of the query language.
    subscript(index: Int) -> QueryValue { QueryValue(arguments[index]) }
}

/// Carries a function written as a closure through SQLite's user data pointer.
final class ScalarFunction {
    let environment: FunctionEnvironment
    let body: (FunctionCall) -> Void

    init(_ environment: FunctionEnvironment, _ body: @escaping (FunctionCall) -> Void) {
        self.environment = environment
        self.body = body
    }
}

/// Registers functions on one connection.
struct FunctionRegistrar {
    let connection: Connection
    let environment: FunctionEnvironment

    /// All functions compute from their arguments alone, and may take and give values with tags (Query 5.2).
    static let flags: FunctionFlags = [.deterministic, .innocuous, .subtype, .resultSubtype]

    /// A function whose C form is given directly, for the least cost. Its user data is the ``FunctionEnvironment``.
    func addDirectly(_ name: String, _ counts: ClosedRange<Int32>, _ function: @escaping SQLFunction) throws {
        for count in counts {
            try connection.registerFunction(name: name, argumentCount: count, flags: Self.flags, userData: environment, function: function)
        }
    }

    /// A function under one or more names.
    ///
    /// - Parameter counts: How many arguments it takes; nil for any number.
    func add(_ names: String..., counts: ClosedRange<Int32>?, _ body: @escaping (FunctionCall) -> Void) throws {
        let function = ScalarFunction(environment, body)
        for name in names {
            for count in counts ?? (-1)...(-1) {
                try connection.registerFunction(
                    name: name,
                    argumentCount: count,
                    flags: Self.flags,
                    userData: function
                ) { context, count, values in
                    let context = FunctionContext(context)
                    guard let function = context.userData(as: ScalarFunction.self) else { return }
                    var none: OpaquePointer?
                    withUnsafeMutablePointer(to: &none) { nothing in
                        let call = FunctionCall(
                            context: context,
                            arguments: FunctionArguments(count, values ?? nothing),
                            environment: function.environment
                        )
                        function.body(call)
                    }
                }
            }
        }
    }
}
