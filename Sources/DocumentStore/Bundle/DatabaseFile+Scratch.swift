package import SQLiteEngine

extension DatabaseFile {
    /// An empty database in memory with the settings and functions that connections to the file have. Close it.
    package func makeScratchConnection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        _ = try ConnectionContext(preparing: connection, options)
        return connection
    }
}
