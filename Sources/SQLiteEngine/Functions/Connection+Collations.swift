internal import CSQLiteSystem

/// Compares two texts in UTF-8: negative, 0 or positive as the first comes before, with or after the second.
///
/// It must be a total order that never changes, or indexes made with it are corrupt.
package typealias CollationComparison = (_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int

/// Carries a comparison through SQLite's user data pointer.
private final class Collation {
    let compare: CollationComparison

    init(_ compare: @escaping CollationComparison) {
        self.compare = compare
    }
}

extension Connection {
    /// Makes a collation known under `name`, in place of an older one. Kept until the connection is closed or it is replaced.
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
            // Unlike with functions, SQLite does not call the destructor when this fails.
            collation.release()
            throw .last(of: database, code: result, sql: nil)
        }
    }

    /// Sets what is called when a statement uses a collation that is not known: it may register the one of that name on the connection
    /// it gets. If it does not, compiling the statement fails.
    package func onCollationNeeded(_ handler: @escaping (Connection, String) -> Void) throws(SQLiteError) {
        let database = try openDatabase()
        collationNeeded = handler
        // Not retained: the connection closes the database before it goes.
        let result = sqlite3_collation_needed(
            database,
            Unmanaged.passUnretained(self).toOpaque(),
            { data, _, _, name in
                guard let data, let name else { return }
                let connection = Unmanaged<Connection>.fromOpaque(data).takeUnretainedValue()
                connection.collationNeeded?(connection, String(cString: name))
            }
        )
        guard result == SQLITE_OK else { throw .last(of: database, code: result, sql: nil) }
    }
}
