internal import CSQLiteSystem

/// A function as SQLite calls it: context, argument count, arguments.
///
/// Write it as a closure literal that captures nothing and wraps its arguments, and it is as fast as one written in C:
/// ```swift
/// try connection.registerFunction(name: "twice", argumentCount: 1, flags: .deterministic) { context, count, values in
///     FunctionContext(context).resultInt64(FunctionArguments(count, values)[0].int64 * 2)
/// }
/// ```
package typealias SQLFunction =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// The end of an aggregate function, as SQLite calls it.
package typealias SQLFinalFunction = @convention(c) (OpaquePointer?) -> Void

/// What SQLite may assume of a function.
package struct FunctionFlags: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// Equal arguments give equal results within a statement: needed in indexes, and lets SQLite call it less often.
    package static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
    /// May be called by statements, not from views, triggers or other parts of the file's schema.
    package static let directOnly = FunctionFlags(rawValue: SQLITE_DIRECTONLY)
    /// Has no side effects and tells nothing that its arguments do not: harmless even in a schema made by somebody else.
    package static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
    /// Asks its arguments for their subtypes.
    package static let subtype = FunctionFlags(rawValue: SQLITE_SUBTYPE)
    /// Sets a subtype on its result. `SQLITE_RESULT_SUBTYPE` of SQLite 3.45, which older versions ignore.
    package static let resultSubtype = FunctionFlags(rawValue: 0x0100_0000)
}

extension Connection {
    /// Makes a function known to SQL under `name`, in place of one with the same name and number of arguments.
    ///
    /// Functions that expression indexes use must be registered before any statement on their table is compiled.
    ///
    /// - Parameters:
    ///   - argumentCount: How many arguments it takes, at most 127; -1 for any number.
    ///   - userData: What ``FunctionContext/userData(as:)`` gives; kept until the connection is closed or the function replaced.
    package func registerFunction(
        name: String,
        argumentCount: Int32,
        flags: FunctionFlags = [],
        userData: AnyObject? = nil,
        function: @escaping SQLFunction
    ) throws(SQLiteError) {
        try register(name, argumentCount, flags, userData, function: function)
    }

    /// Makes an aggregate function known to SQL: `step` is called for each row of a group, `final` once, to give the result.
    ///
    /// The state of a group is in ``FunctionContext/aggregateContext(byteCount:)``.
    package func registerAggregate(
        name: String,
        argumentCount: Int32,
        flags: FunctionFlags = [],
        userData: AnyObject? = nil,
        step: @escaping SQLFunction,
        final: @escaping SQLFinalFunction
    ) throws(SQLiteError) {
        try register(name, argumentCount, flags, userData, step: step, final: final)
    }

    private func register(
        _ name: String,
        _ argumentCount: Int32,
        _ flags: FunctionFlags,
        _ userData: AnyObject?,
        function: SQLFunction? = nil,
        step: SQLFunction? = nil,
        final: SQLFinalFunction? = nil
    ) throws(SQLiteError) {
        let database = try openDatabase()
        let result = sqlite3_create_function_v2(
            database,
            name,
            argumentCount,
            SQLITE_UTF8 | flags.rawValue,
            userData.map { Unmanaged.passRetained($0).toOpaque() },
            function,
            step,
            final,
            // Called also when the registration fails.
            userData == nil ? nil : { Unmanaged<AnyObject>.fromOpaque($0.unsafelyUnwrapped).release() }
        )
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }
}
