import CSQLiteSystem

// The methods that FTS4 calls for a tokenizer. SQLite owns the following two structures between the calls that create and destroy them.
// Each starts with the part that SQLite defines, as its C interface requires.

private struct TokenizerRecord {
    var base: sqlite3_tokenizer
    /// Retained until the tokenizer is destroyed.
    var tokenizer: Unmanaged<FullTextTokenizer>
}

private struct CursorRecord {
    var base: sqlite3_tokenizer_cursor
    /// Retained until the cursor is closed.
    var cursor: Unmanaged<TokenCursor>
}

private typealias TokenizerPointer = UnsafeMutablePointer<sqlite3_tokenizer>
private typealias CursorPointer = UnsafeMutablePointer<sqlite3_tokenizer_cursor>

@inline(__always)
private func record(of pointer: TokenizerPointer?) -> UnsafeMutablePointer<TokenizerRecord> {
    UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: TokenizerRecord.self)
}

@inline(__always)
private func record(of pointer: CursorPointer?) -> UnsafeMutablePointer<CursorRecord> {
    UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: CursorRecord.self)
}

enum TokenizerModule {
    /// The table of methods. Never freed, because SQLite uses the address as long as any connection exists.
    // `nonisolated(unsafe)` is safe because it is initialized once and only read afterwards.
    nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_tokenizer_module> = {
        let methods = UnsafeMutablePointer<sqlite3_tokenizer_module>.allocate(capacity: 1)
        methods.initialize(to: makeMethods())
        return UnsafePointer(methods)
    }()

    private static func makeMethods() -> sqlite3_tokenizer_module {
        var module = sqlite3_tokenizer_module()
        module.iVersion = 0
        module.xCreate = { count, arguments, result in
            let texts = (0..<Int(count)).compactMap { index in arguments?[index].map { String(cString: $0) } }
            let memory = UnsafeMutablePointer<TokenizerRecord>.allocate(capacity: 1)
            memory.initialize(to: TokenizerRecord(base: sqlite3_tokenizer(), tokenizer: .passRetained(FullTextTokenizer(arguments: texts))))
            result.unsafelyUnwrapped.pointee = UnsafeMutableRawPointer(memory)
                .assumingMemoryBound(to: sqlite3_tokenizer.self)
            return SQLITE_OK
        }
        module.xDestroy = { pointer in
            let memory = record(of: pointer)
            memory.pointee.tokenizer.release()
            memory.deallocate()
            return SQLITE_OK
        }
        module.xOpen = { pointer, text, count, result in
            let cursor = record(of: pointer).pointee.tokenizer._withUnsafeGuaranteedRef { tokenizer in
                TokenizerModule.cursor(tokenizer, text, Int(count))
            }
            let memory = UnsafeMutablePointer<CursorRecord>.allocate(capacity: 1)
            memory.initialize(to: CursorRecord(base: sqlite3_tokenizer_cursor(), cursor: .passRetained(cursor)))
            result.unsafelyUnwrapped.pointee = UnsafeMutableRawPointer(memory)
                .assumingMemoryBound(to: sqlite3_tokenizer_cursor.self)
            return SQLITE_OK
        }
        module.xClose = { pointer in
            let memory = record(of: pointer)
            memory.pointee.cursor.release()
            memory.deallocate()
            return SQLITE_OK
        }
        module.xNext = { pointer, token, count, start, end, position in
            record(of: pointer).pointee.cursor._withUnsafeGuaranteedRef { cursor in
                guard cursor.advance() else { return SQLITE_DONE }
                token.unsafelyUnwrapped.pointee = UnsafeRawPointer(cursor.token).assumingMemoryBound(to: CChar.self)
                count.unsafelyUnwrapped.pointee = Int32(truncatingIfNeeded: cursor.tokenCount)
                start.unsafelyUnwrapped.pointee = Int32(truncatingIfNeeded: cursor.start)
                end.unsafelyUnwrapped.pointee = Int32(truncatingIfNeeded: cursor.end)
                position.unsafelyUnwrapped.pointee = cursor.position
                return SQLITE_OK
            }
        }
        return module
    }

    /// Returns a cursor on a text of SQLite. If `count` is negative, the text ends with a NUL.
    private static func cursor(_ tokenizer: FullTextTokenizer, _ text: UnsafePointer<CChar>?, _ count: Int)
        -> TokenCursor
    {
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
