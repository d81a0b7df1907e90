import CSQLiteSystem

// The methods that FTS4 calls for a tokenizer.

private typealias Tokenizer = ModuleRecord<sqlite3_tokenizer, FullTextTokenizer>
private typealias Cursor = ModuleRecord<sqlite3_tokenizer_cursor, TokenCursor>

enum TokenizerModule {
    /// The table of methods.
    // `nonisolated(unsafe)` is safe because it is initialized once and only read afterwards.
    nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_tokenizer_module> = {
        var module = sqlite3_tokenizer_module()
        module.iVersion = 0
        module.xCreate = { count, arguments, result in
            let texts = (0..<Int(count)).compactMap { index in arguments?[index].map { String(cString: $0) } }
            result.unsafelyUnwrapped.pointee = Tokenizer.make(sqlite3_tokenizer(), FullTextTokenizer(arguments: texts))
            return SQLITE_OK
        }
        module.xDestroy = { pointer in
            Tokenizer.destroy(pointer)
            return SQLITE_OK
        }
        module.xOpen = { pointer, text, count, result in
            let cursor = Tokenizer.object(of: pointer)._withUnsafeGuaranteedRef { TokenizerModule.cursor($0, text, Int(count)) }
            result.unsafelyUnwrapped.pointee = Cursor.make(sqlite3_tokenizer_cursor(), cursor)
            return SQLITE_OK
        }
        module.xClose = { pointer in
            Cursor.destroy(pointer)
            return SQLITE_OK
        }
        module.xNext = { pointer, token, count, start, end, position in
            Cursor.object(of: pointer)._withUnsafeGuaranteedRef { cursor in
                guard cursor.scanner.advance() else { return SQLITE_DONE }
                token.unsafelyUnwrapped.pointee = UnsafeRawPointer(cursor.scanner.token).assumingMemoryBound(to: CChar.self)
                count.unsafelyUnwrapped.pointee = Int32(truncatingIfNeeded: cursor.scanner.tokenCount)
                start.unsafelyUnwrapped.pointee = Int32(truncatingIfNeeded: cursor.scanner.start)
                end.unsafelyUnwrapped.pointee = Int32(truncatingIfNeeded: cursor.scanner.end)
                position.unsafelyUnwrapped.pointee = cursor.scanner.position
                return SQLITE_OK
            }
        }
        return .permanent(module)
    }()

    /// Returns a cursor on a text of SQLite. If `count` is negative, the text ends with a NUL.
    private static func cursor(_ tokenizer: FullTextTokenizer, _ text: UnsafePointer<CChar>?, _ count: Int) -> TokenCursor {
        guard let text else {
            // The pointer is never read, because the count is 0.
            return TokenCursor(tokenizer, text: UnsafePointer(TokenCharacters.ascii), count: 0)
        }
        var length = max(count, 0)
        if count < 0 { while text[length] != 0 { length += 1 } }
        return TokenCursor(tokenizer, text: UnsafeRawPointer(text).assumingMemoryBound(to: UInt8.self), count: length)
    }
}

extension Connection {
    /// The tokenizer name that the full-text tables of Couchbase Lite use (Storage format 5.4).
    package static let fullTextTokenizerName = "unicodesn"

    /// Registers the tokenizer of full-text tables. Must be called before any statement uses such a table. Registering tokenizers by SQL is
    /// only enabled during this call, because it takes addresses of code.
    package func registerFullTextTokenizer() throws(SQLiteError) {
        try allowRegistration(true)
        let result: Result<Void, SQLiteError> = Result { () throws(SQLiteError) in
            let statement = try prepare("SELECT fts3_tokenizer(?, ?)")
            defer { statement.finalize() }
            var address = UInt(bitPattern: TokenizerModule.methods)
            let bytes = withUnsafeBytes(of: &address) { Array($0) }
            try statement.bindText(Self.fullTextTokenizerName, at: 1)
            try statement.bindBlob(bytes, at: 2)
            try statement.run()
        }
        try allowRegistration(false)
        try result.get()
    }

    private func allowRegistration(_ isAllowed: Bool) throws(SQLiteError) {
        try call { csqlite_set_tokenizer_registration($0, isAllowed ? 1 : 0) }
    }
}
