internal import CSQLiteSystem

extension Connection {
    /// The tokenizer name that the full-text tables of Couchbase Lite use (Storage format 5.4).
    package static let fullTextTokenizerName = "unicodesn"

    /// Registers the tokenizer of full-text tables. Must be called before any statement uses such a table. Registering tokenizers by SQL is
    /// only enabled during this call, because it takes addresses of code.
    package func registerFullTextTokenizer() throws(SQLiteError) {
        let database = try openDatabase()
        try allowRegistration(true, of: database)
        let result: Result<Void, SQLiteError> = Result { () throws(SQLiteError) in
            let statement = try prepare("SELECT fts3_tokenizer(?, ?)")
            defer { statement.finalize() }
            var address = UInt(bitPattern: TokenizerModule.methods)
            let bytes = withUnsafeBytes(of: &address) { Array($0) }
            try statement.bindText(Self.fullTextTokenizerName, at: 1)
            try statement.bindBlob(bytes, at: 2)
            try statement.run()
        }
        try allowRegistration(false, of: database)
        try result.get()
    }

    private func allowRegistration(_ isAllowed: Bool, of database: OpaquePointer) throws(SQLiteError) {
        let result = csqlite_set_tokenizer_registration(database, isAllowed ? 1 : 0)
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }
}
