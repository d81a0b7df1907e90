internal import CSQLiteSystem

/// Compares two texts in UTF-8. Returns a negative value, 0 or a positive value if the first sorts before, equal to or after the second.
///
/// It must be a total order that never changes, because indexes that use it would be corrupt otherwise.
package typealias CollationComparison = (_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int

/// Holds a comparison, for SQLite's user data pointer.
private final class Collation {
    let compare: CollationComparison

    init(_ compare: @escaping CollationComparison) { self.compare = compare }
}

extension Connection {
    /// Registers a collation under `name`, replacing a previous one. It is retained until the connection is closed or it is replaced.
    package func registerCollation(name: String, compare: @escaping CollationComparison) throws(SQLiteError) {
        let database = try openDatabase()
        let collation = Unmanaged.passRetained(Collation(compare))
        let result = sqlite3_create_collation_v2(
            database,
            name,
            SQLITE_UTF8,
            collation.toOpaque(),
            { data, firstCount, first, secondCount, second in
                let order = Unmanaged<Collation>.fromOpaque(data.unsafelyUnwrapped)._withUnsafeGuaranteedRef {
                    $0.compare(
                        UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                        UnsafeRawBufferPointer(start: second, count: Int(secondCount))
                    )
                }
                return Int32(order.signum())
            },
            { Unmanaged<Collation>.fromOpaque($0.unsafelyUnwrapped).release() }
        )
        guard result == SQLITE_OK else {
            // Unlike with functions, SQLite does not call the destructor on failure.
            collation.release()
            throw .last(of: database, code: result, sql: nil)
        }
    }

    /// Sets the handler that is called when a statement uses an unknown collation. It may register the collation of that name on the
    /// connection it receives. Otherwise compiling the statement fails.
    package func onCollationNeeded(_ handler: @escaping (Connection, String) -> Void) throws(SQLiteError) {
        // Not retained: the connection closes the database before it is deinitialized.
        let connection = Unmanaged.passUnretained(self).toOpaque()
        try call {
            sqlite3_collation_needed($0, connection) { data, _, _, name in
                guard let data, let name else { return }
                let connection = Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
                connection.collationNeeded?(connection, String(cString: name))
            }
        }
        collationNeeded = handler
    }
}
