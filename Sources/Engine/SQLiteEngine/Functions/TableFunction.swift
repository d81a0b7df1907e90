import Base
internal import CSQLiteSystem

/// A table-valued function, which SQL uses like a table: `SELECT value FROM each(?1)`.
///
/// Its parameters are hidden columns: SQLite passes an argument as the condition that the column equals it.
package final class TableFunction {
    /// The names of the columns of a row, in order.
    package let columns: [String]
    /// The names of the parameters, in order. Trailing arguments may be omitted.
    package let parameters: [String]
    /// The number of a column by whose value rows can be looked up; `nil` if there is none. If SQLite looks up, it passes the value after the
    /// arguments, none of which may be omitted then.
    package let lookupColumn: Int?
    /// Whether the result depends on the arguments only, so that the schema of an untrusted file may call the function.
    package let isInnocuous: Bool
    /// Creates the cursor that iterates over the rows of calls.
    package let makeCursor: () -> any TableFunctionCursor

    package init(
        columns: [String],
        parameters: [String],
        lookupColumn: Int? = nil,
        isInnocuous: Bool = true,
        makeCursor: @escaping () -> any TableFunctionCursor
    ) {
        self.columns = columns
        self.parameters = parameters
        self.lookupColumn = lookupColumn
        self.isInnocuous = isInnocuous
        self.makeCursor = makeCursor
    }

    /// The table declaration that SQLite requires: the columns, then the parameters.
    var declaration: String {
        func quoted(_ name: String) -> String { "\"\(name.doubling("\""))\"" }
        let columns = columns.map(quoted) + parameters.map { quoted($0) + " HIDDEN" }
        return "CREATE TABLE x(\(columns.joined(separator: ", ")))"
    }
}

/// Iterates over the rows of a call of a ``TableFunction``.
///
/// One cursor serves all calls at one place in a statement, one after another. Each call starts with ``begin(_:)``.
package protocol TableFunctionCursor: AnyObject {
    /// Starts a call and moves to its first row.
    ///
    /// - Parameter arguments: The passed arguments, in the order of the parameters. They are only valid during this call.
    /// - Returns: An error message, with which the statement fails, or `nil` on success.
    func begin(_ arguments: FunctionArguments) -> String?

    /// Whether the cursor is after the last row.
    var isAtEnd: Bool { get }

    /// Moves to the next row.
    func advance()

    /// Sets the result to the value of a column of the current row. `index` is the position in ``TableFunction/columns``.
    func column(_ index: Int, _ result: FunctionContext)

    /// The number of the current row.
    var rowID: Int64 { get }
}

extension Connection {
    /// Registers a table-valued function under `name`, which must not be the name of a table. It is retained until the connection is
    /// closed.
    package func registerTableFunction(name: String, _ function: TableFunction) throws(SQLiteError) {
        try call { database in
            let data = Unmanaged.passRetained(function).toOpaque()
            // SQLite also releases the data if the registration fails.
            return sqlite3_create_module_v2(database, name, TableFunctionModule.methods, data) {
                Unmanaged<TableFunction>.fromOpaque($0.unsafelyUnwrapped).release()
            }
        }
    }
}
