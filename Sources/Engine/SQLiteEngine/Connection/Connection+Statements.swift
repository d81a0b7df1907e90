import Base
internal import CSQLiteSystem

extension Connection {
    /// Runs all statements of an SQL text, ignoring their rows. Stops at the first statement that fails. The effects of the previous
    /// statements remain, unless the caller's transaction is rolled back.
    package func execute(_ sql: String) throws(SQLiteError) {
        let database = try openDatabase(sql: sql)
        let text = Array(sql.utf8)
        var start = 0
        while start < text.count {
            let compiled = try compile(text[start...], of: sql, in: database, persistent: false)
            start = compiled.end
            guard let handle = compiled.handle else { continue }
            defer { sqlite3_finalize(handle) }
            var result: Int32
            repeat { result = sqlite3_step(handle) } while result == SQLITE_ROW
            guard result == SQLITE_DONE else { throw .last(of: database, code: result, sql: sql) }
        }
    }

    /// Compiles one statement. This takes about 5 to 50 µs: keep the statement, or use ``cachedStatement(_:)``.
    ///
    /// - Parameter persistent: Whether the statement will be kept for a long time. SQLite then does not allocate it from its limited fast
    ///   memory.
    /// - Throws: A compile error with the offset of the offending token; an error whose `isMisuse` is true if the text contains no
    ///   statement, or more than one.
    package func prepare(_ sql: String, persistent: Bool = false) throws(SQLiteError) -> Statement {
        let database = try openDatabase(sql: sql)
        let text = Array(sql.utf8)
        var start = 0
        var statement: Statement?
        do throws(SQLiteError) {
            while start < text.count {
                let compiled = try compile(text[start...], of: sql, in: database, persistent: persistent)
                if let handle = compiled.handle {
                    guard statement == nil else {
                        sqlite3_finalize(handle)
                        throw .misuse("the SQL text has more than one statement", sql, offset: start)
                    }
                    statement = Statement(handle, on: self.handle)
                }
                start = compiled.end
            }
        } catch {
            statement?.finalize()
            throw error
        }
        guard let statement else { throw .misuse("the SQL text has no statement", sql) }
        return statement
    }

    /// Returns the statement for `sql`. It is compiled on first use and then cached. A cached statement takes about 100 ns; if that is too
    /// slow, keep the statement itself.
    ///
    /// If the cached statement is currently being stepped, a new one that is not cached is compiled.
    package func cachedStatement(_ sql: String) throws(SQLiteError) -> Statement {
        // Comparing with the last text is faster than computing a hash.
        if let last = lastCachedStatement, last.sql.isExactly(sql), !last.statement.isBusy { return last.statement }
        let text = ExactString(sql)
        if let statement = statementCache[text] {
            guard !statement.isBusy else { return try prepare(sql) }
            lastCachedStatement = (sql, statement)
            return statement
        }
        let statement = try prepare(sql, persistent: true)
        if statementCache.count >= statementCacheCapacity {
            // This is rare, so removing all statements is fast enough. Statements in use stay in the cache.
            statementCache = statementCache.filter { $0.value.isBusy }
            lastCachedStatement = nil
        }
        statementCache[text] = statement
        return statement
    }

    /// Returns the first column of the first row as an integer, for pragmas, counts and similar queries. `nil` if there is no row or the
    /// value is NULL. Uses the statement cache.
    package func scalar(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try cachedStatement(sql)
        defer { statement.reset() }
        return try statement.step() && !statement.isNull(at: 0) ? statement.int64(at: 0) : nil
    }

    /// Returns the first column of the first row as text. `nil` if there is no row or the value is NULL. Uses the statement cache.
    package func scalarText(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try cachedStatement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.optionalText(at: 0) : nil
    }

    /// Returns whether the schema has an object of a type, for example `table` or `index`, with a name. Uses the statement cache.
    package func contains(_ type: String, named name: String) throws(SQLiteError) -> Bool {
        let statement = try cachedStatement("SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?")
        defer { statement.reset() }
        try statement.bindText(type, at: 1)
        try statement.bindText(name, at: 2)
        return try statement.step()
    }

    /// Returns the first column of all rows as texts, with the parameters bound to texts.
    package func texts(_ sql: String, _ parameters: String...) throws(SQLiteError) -> [String] {
        let statement = try prepare(sql)
        defer { statement.finalize() }
        for (index, parameter) in parameters.enumerated() { try statement.bindText(parameter, at: index + 1) }
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(at: 0)) }
        return texts
    }

    /// Compiles the first statement in a part of `sql`. `handle` is `nil` if only white space and comments remained; `end` is the position
    /// in `sql` after the consumed text.
    private func compile(
        _ part: ArraySlice<UInt8>,
        of sql: String,
        in database: OpaquePointer,
        persistent: Bool
    ) throws(SQLiteError) -> (handle: OpaquePointer?, end: Int) {
        var compiled: OpaquePointer?
        var consumed = 0
        let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let result = part.withUnsafeBytes { bytes -> Int32 in
            let characters = bytes.assumingMemoryBound(to: CChar.self)
            var tail: UnsafePointer<CChar>?
            let result = sqlite3_prepare_v3(database, characters.baseAddress, Int32(clamping: bytes.count), flags, &compiled, &tail)
            if let tail, let start = characters.baseAddress { consumed = tail - start }
            return result
        }
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: sql, start: part.startIndex) }
        let end = part.startIndex + consumed
        // SQLite treats a NUL as the end of the text, and would silently ignore the rest.
        if compiled == nil, end < part.endIndex, part[end] == 0 {
            throw SQLiteError(extendedCode: SQLITE_ERROR, message: "the SQL text contains a NUL character", sql: sql, offset: end)
        }
        return (compiled, consumed == 0 ? part.endIndex : end)
    }
}
