import SQLiteEngine
import Synchronization

/// What needs the file for itself, as far as other threads or even other processes go.
extension DatabaseFile {
    /// Has every commit wait until the medium has it, because somebody wants it so who came to share the file.
    ///
    /// - Throws: `inTransaction` inside a transaction of the calling thread, where that cannot be changed.
    func requireFullSync() throws {
        guard !options.fullSync, let writer = writerIfWritable else { return }
        try whileNobodyWrites { try writer.connection.execute("PRAGMA synchronous=full") }
    }

    /// Waits until no other thread is inside a transaction, and lets none begin until `body` is done.
    ///
    /// - Throws: `inTransaction` when the calling thread is inside one.
    package func whileNobodyWrites<Result>(_ body: () throws -> Result) throws -> Result {
        guard let writer = writerIfWritable else { return try body() }
        return try writer.lock.withLock {
            if writer.hasTransactionOfThisThread { throw StoreError.inTransaction(path: bundle.directory) }
            return try body()
        }
    }

    /// Runs `body` while nobody else has the file open: no other user of this process, which the caller has made sure of, and
    /// no other process. The other threads wait, as do processes that open the file, within their busy timeout.
    ///
    /// `body` gets the only connection there is. It may remove or replace the bundle; after that the file can only be closed.
    ///
    /// - Throws: `inUse` when another process has the file open, or the calling thread itself is reading; `inTransaction`;
    ///   `notWritable`.
    func whileAlone<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let writer = try writer()
        return try whileNobodyWrites {
            let connection = writer.connection
            do {
                return try readers.whileEmpty {
                    guard !connection.isClosed else { throw StoreError.notOpen(what: "the database at \(bundle.directory)") }
                    do {
                        return try connection.whileAlone { try body(connection) }
                    } catch let error as SQLiteError where error.isBusy {
                        throw StoreError.inUse(path: bundle.directory)
                    }
                }
            } catch is ConnectionPoolError {
                throw StoreError.inUse(path: bundle.directory)
            }
        }
    }

    /// Goes on with the bundle that has taken the place of this one. `whileAlone` only.
    func useReplacement(_ encryption: EncryptedFileSystem?) throws {
        let writer = try writer()
        let old = writer.connection
        // Its path leads to the new files now; SQLite knows and leaves them alone.
        defer { try? old.close() }
        let connection = try Connection(path: bundle.sqliteFile, mode: .readWrite, namesFilesByURI: true, encryption: encryption)
        let context = try setUp(connection)
        // Somebody who came later may have asked for more than the options.
        if let synchronous = try old.scalar("PRAGMA synchronous") {
            try connection.execute("PRAGMA synchronous=\(synchronous)")
        }
        state.withLock { $0.encryption = encryption }
        writer.replaceContext(context)
    }

    /// Waits for readers and the writer, then closes all connections. Called by the registry when nobody uses the file any more.
    ///
    /// - Throws: `inUse` when the calling thread itself is reading or in a transaction; nothing has been closed then.
    func close() throws {
        guard !isInTransaction else { throw StoreError.inUse(path: bundle.directory) }
        do {
            try readers.closeAll()
        } catch ConnectionPoolError.closedFromWithin {
            throw StoreError.inUse(path: bundle.directory)
        }
        if let writer = writerIfWritable {
            try writer.lock.withLock {
                guard !writer.connection.isClosed else { return }
                if !writer.connection.hasMoved { Maintenance.tidyUp(writer.connection) }
                try writer.connection.close()
            }
        } else {
            traces?.remove()
        }
        expirations.stop()
        foreignChanges.stop()
        watch.stop()
        knownCollections.removeAll()
        state.withLock { $0.isClosed = true }
    }
}
