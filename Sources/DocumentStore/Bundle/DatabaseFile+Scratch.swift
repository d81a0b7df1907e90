package import SQLiteEngine

extension DatabaseFile {
    /// An empty database in memory with the settings and functions that connections to the file have. Close it.
    package func makeScratchConnection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        try connection.execute("PRAGMA case_sensitive_like=true")
        let context = ConnectionContext(connection)
        connection.attachment = context
        try options.prepare(context)
        return connection
    }
}
