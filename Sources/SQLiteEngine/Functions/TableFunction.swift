internal import CSQLiteSystem
import ExactStrings

/// A function that SQL calls in the place of a table: `SELECT value FROM each(?1)`.
///
/// Its parameters are columns too, hidden ones: SQLite passes an argument as the condition that the column equals it.
package struct TableFunction {
    /// The names of the columns a row has, in order.
    package let columns: [String]
    /// The names of the parameters, in order. An argument may be left out, and all after it.
    package let parameters: [String]
    /// Makes what walks through the rows of one call.
    package let makeCursor: () -> any TableFunctionCursor

    package init(columns: [String], parameters: [String], makeCursor: @escaping () -> any TableFunctionCursor) {
        self.columns = columns
        self.parameters = parameters
        self.makeCursor = makeCursor
    }
}

/// Walks through the rows of a call of a ``TableFunction``.
///
/// One cursor serves the calls of one place in a statement, one after another: ``begin(_:)`` starts each.
package protocol TableFunctionCursor: AnyObject {
    /// Starts a call and goes to its first row.
    ///
    /// - Parameter arguments: Those that were passed, in the order of the parameters. They are void when this returns.
    /// - Returns: What went wrong, if anything did: the statement fails with it.
    func begin(_ arguments: FunctionArguments) -> String?

    /// Whether the last row has been passed.
    var isAtEnd: Bool { get }

    /// Goes to the next row.
    func advance()

    /// Gives the value of a column of the row, by its place among ``TableFunction/columns``.
    func column(_ index: Int, _ result: FunctionContext)

    /// The number of the row.
    var rowID: Int64 { get }
}

extension Connection {
    /// Makes a table-valued function known to SQL under `name`, which is no table's. Kept until the connection is closed.
    package func registerTableFunction(name: String, _ function: TableFunction) throws(SQLiteError) {
        let database = try openDatabase()
        let result = sqlite3_create_module_v2(
            database,
            name,
            TableFunctionModule.methods,
            Unmanaged.passRetained(RegisteredTableFunction(function)).toOpaque(),
            // Called also when the registration fails.
            { Unmanaged<RegisteredTableFunction>.fromOpaque($0.unsafelyUnwrapped).release() }
        )
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }
}

/// Carries the definition through SQLite's client data pointer.
final class RegisteredTableFunction {
    let definition: TableFunction

    init(_ definition: TableFunction) {
        self.definition = definition
    }

    /// The declaration SQLite asks for: the columns, then the parameters.
    var declaration: String {
        func quoted(_ name: String) -> String {
            "\"\(name.doubling("\""))\""
        }
        let columns = definition.columns.map(quoted) + definition.parameters.map { quoted($0) + " HIDDEN" }
        return "CREATE TABLE x(\(columns.joined(separator: ", ")))"
    }
}
