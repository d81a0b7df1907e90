internal import CSQLiteSystem

/// A function with SQLite's C signature: context, argument count, arguments.
///
/// If it is written as a closure literal that captures nothing and wraps its arguments, it is as fast as a function in C:
/// ```swift
/// try connection.registerFunction(name: "twice", argumentCount: 1, flags: .deterministic) { context, count, values in
///     FunctionContext(context).resultInt64(FunctionArguments(count, values)[0].int64 * 2)
/// }
/// ```
package typealias SQLFunction = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// The final step of an aggregate function, with SQLite's C signature.
package typealias SQLFinalFunction = @convention(c) (OpaquePointer?) -> Void

/// The properties of a function that SQLite may rely on.
package struct FunctionFlags: OptionSet, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Equal arguments have equal results within a statement. Required for indexes; SQLite may also call the function less often.
    package static let deterministic = FunctionFlags(rawValue: SQLITE_DETERMINISTIC)
    /// Has no side effects and reveals nothing except what follows from its arguments. Safe to call from an untrusted schema.
    package static let innocuous = FunctionFlags(rawValue: SQLITE_INNOCUOUS)
    /// Reads the subtypes of its arguments.
    package static let subtype = FunctionFlags(rawValue: SQLITE_SUBTYPE)
    /// Sets a subtype on its result. `SQLITE_RESULT_SUBTYPE` of SQLite 3.45, which older versions ignore.
    package static let resultSubtype = FunctionFlags(rawValue: 0x0100_0000)
}

extension Connection {
    /// Registers an SQL function under `name`, replacing one with the same name and number of arguments.
    ///
    /// Functions used in expression indexes must be registered before any statement on their table is compiled.
    ///
    /// - Parameters:
    ///   - argumentCount: The number of arguments, at most 127. -1 accepts any number.
    ///   - userData: The object returned by ``FunctionContext/userData(as:)``. It is retained until the connection is closed or the
    ///     function is replaced.
    package func registerFunction(
        name: String,
        argumentCount: Int32,
        flags: FunctionFlags = [],
        userData: AnyObject? = nil,
        function: @escaping SQLFunction
    ) throws(SQLiteError) {
        try register(name, argumentCount, flags, userData, function, nil, nil)
    }

    /// Registers an SQL aggregate function. `step` is called for each row of a group, `final` once per group to set the result.
    ///
    /// The state of a group is stored in ``FunctionContext/aggregateContext(byteCount:)``.
    package func registerAggregate(
        name: String,
        argumentCount: Int32,
        flags: FunctionFlags = [],
        userData: AnyObject? = nil,
        step: @escaping SQLFunction,
        final: @escaping SQLFinalFunction
    ) throws(SQLiteError) {
        try register(name, argumentCount, flags, userData, nil, step, final)
    }

    private func register(
        _ name: String,
        _ argumentCount: Int32,
        _ flags: FunctionFlags,
        _ userData: AnyObject?,
        _ function: SQLFunction?,
        _ step: SQLFunction?,
        _ final: SQLFinalFunction?
    ) throws(SQLiteError) {
        try call { database in
            let data = userData.map { Unmanaged.passRetained($0).toOpaque() }
            // SQLite also releases the data if the registration fails.
            let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? =
                userData == nil ? nil : { Unmanaged<AnyObject>.fromOpaque($0.unsafelyUnwrapped).release() }
            let encoding = SQLITE_UTF8 | flags.rawValue
            return sqlite3_create_function_v2(database, name, argumentCount, encoding, data, function, step, final, release)
        }
    }
}
