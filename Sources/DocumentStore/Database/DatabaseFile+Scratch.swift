package import SQLiteEngine

extension DatabaseFile {
    /// Returns a connection to an empty database in memory, with the settings and functions of connections to the file. The caller must
    /// close it.
    package func makeScratchConnection() throws -> Connection {
        let connection = try Connection(path: ":memory:", mode: .create)
        _ = try ConnectionContext(preparing: connection, options)
        return connection
    }
}
