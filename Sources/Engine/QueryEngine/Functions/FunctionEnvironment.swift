import DocumentStore
import Fleece
import Foundation
import SQLiteEngine

/// The state shared by the SQL functions of one connection.
final class FunctionEnvironment {
    // Safe without reference counting: the context owns the connection, and the connection owns its functions and through them this object.
    // The context is attached to the connection, so it exists as long as a function can be called.
    unowned(unsafe) let context: ConnectionContext
    // Safe without exclusivity checks: the owner of the connection uses it on one thread at a time, and no function calls another.
    @exclusivity(unchecked) var encoder = Encoder()
    @exclusivity(unchecked) var patterns = PatternCache<RegularExpression>()
    /// The compiled patterns of LIKE, per collation.
    @exclusivity(unchecked) var likePatterns = PatternCache<LikePattern>()
    /// The same, of ``CharacterFolding`` with composed characters.
    @exclusivity(unchecked) var characterPatterns = PatternCache<LikePattern>()

    init(_ context: ConnectionContext) { self.context = context }

    /// Whether the running statement creates an index.
    var isCreatingIndex: Bool { context.evaluation.isCreatingIndex }

    /// Whether the running statement is a query. Otherwise functions compute what Couchbase Lite stores in indexes (Query 5.13).
    @inline(__always)
    var isAnsweringQuery: Bool { context.evaluation.isAnsweringQuery }

    /// Must be called for each result that would be another one in a query, so that no query takes it from an index.
    func noteDifferingKey() { context.evaluation.hasDifferingKeys = true }

    /// Whether texts of the inserted document are indexed later.
    var defersTexts: Bool { context.evaluation.defersTexts }

    /// Whether the running statement has been interrupted.
    var isInterrupted: Bool { context.connection.handle.isInterrupted }

    /// A new step counter for a function that may process a long text. It stops the work when the statement is interrupted.
    var effort: MatchEffort { MatchEffort(interruptedWith: context.connection) }

    /// The local time zone of the device.
    var localZone: TimeZone { context.evaluation.localZone }

    /// The shared keys of the bodies that are currently visible.
    var sharedKeys: SharedKeys { context.evaluation.sharedKeys }
}

/// A call of a function that is not performance-critical, with its arguments and environment.
struct FunctionCall {
    let context: FunctionContext
    let arguments: FunctionArguments
    let environment: FunctionEnvironment

    var count: Int { arguments.count }

    /// The argument at `index` as a query value.
    subscript(index: Int) -> QueryValue { QueryValue(arguments[index]) }

    /// Whether the result is a key of an index, for a function that has the original's name.
    func isOfIndex(_ hasOriginalName: Bool) -> Bool { hasOriginalName && !environment.isAnsweringQuery }
}

/// A function written as a closure, which is passed as SQLite's user data pointer.
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

    /// All functions depend on their arguments only, and may read and return values with tags (Query 5.2).
    static let flags: FunctionFlags = [.deterministic, .innocuous, .subtype, .resultSubtype]

    /// Registers a C function directly, which has the least overhead. Its user data is the ``FunctionEnvironment``.
    func addDirectly(_ name: String, _ counts: ClosedRange<Int32>, _ function: @escaping SQLFunction) throws {
        for count in counts {
            try connection.registerFunction(name: name, argumentCount: count, flags: Self.flags, userData: environment, function: function)
        }
    }

    /// Registers a function under one or more names.
    ///
    /// - Parameter counts: The accepted numbers of arguments; `nil` accepts any number.
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

/// The most recently compiled patterns of a connection. Most patterns are literals, so a few entries are enough.
///
/// Patterns are compared by their bytes, because patterns that look the same may match differently.
struct PatternCache<Compiled> {
    private struct Entry {
        var kind: String
        var pattern: [UInt8]
        var compiled: Compiled
    }

    private static var capacity: Int { 8 }
    private var entries: [Entry] = []

    /// Returns the compiled form of a pattern. Compiles it with `make` if it is not in the cache.
    ///
    /// - Parameter kind: What the compiled form depends on besides the pattern, such as a collation.
    mutating func value<Failure>(
        for pattern: UnsafeRawBufferPointer,
        of kind: String = "",
        make: ([UInt8]) throws(Failure) -> Compiled
    ) throws(Failure) -> Compiled {
        for entry in entries
        where entry.kind == kind && entry.pattern.count == pattern.count && entry.pattern.elementsEqual(pattern) {
            return entry.compiled
        }
        let bytes = [UInt8](pattern)
        let compiled = try make(bytes)
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append(Entry(kind: kind, pattern: bytes, compiled: compiled))
        return compiled
    }
}
