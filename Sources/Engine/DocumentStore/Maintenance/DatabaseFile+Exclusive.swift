import Base
import SQLiteEngine
import Synchronization

/// Operations that exclude other threads or even other processes.
extension DatabaseFile {
    /// Makes every commit wait until it is on the medium. Called if another user opens the file with that option.
    ///
    /// - Throws: `inTransaction` inside a transaction of the calling thread, where the setting cannot be changed.
    func requireFullSync() throws {
        guard !options.fullSync, let writer = writerIfWritable else { return }
        try withWritersBlocked { try writer.connection.execute("PRAGMA synchronous=full") }
    }

    /// Waits until no other thread is inside a transaction, and prevents new transactions until `body` returns.
    ///
    /// - Throws: `inTransaction` if the calling thread is inside a transaction.
    package func withWritersBlocked<Result>(_ body: () throws -> Result) throws -> Result {
        guard let writer = writerIfWritable else { return try body() }
        return try writer.lock.withLock {
            if writer.hasTransactionOfThisThread { throw StoreError.inTransaction(path: bundle.directory) }
            return try body()
        }
    }

    /// Runs `body` while nothing else has the file open: no other user in this process, which the caller must ensure, and no other process.
    /// Other threads wait, as do processes that open the file, within their busy timeout.
    ///
    /// `body` gets the only open connection. It may remove or replace the bundle; afterwards the file can only be closed.
    ///
    /// - Throws: `inUse` if another process has the file open, or if the calling thread is reading; `inTransaction`; `notWritable`.
    func withExclusiveAccess<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let writer = try self.writer()
        return try withWritersBlocked {
            let connection = writer.connection
            do {
                return try readers.whileEmpty {
                    guard !connection.isClosed else { throw StoreError.notOpen(what: "the database at \(bundle.directory)") }
                    do {
                        return try connection.withExclusiveAccess { try body(connection) }
                    } catch let error as SQLiteError where error.isBusy {
                        throw StoreError.inUse(path: bundle.directory)
                    }
                }
            } catch is ConnectionPoolError {
                throw StoreError.inUse(path: bundle.directory)
            }
        }
    }

    /// Switches to the bundle that has replaced the current one. Must be called inside ``withExclusiveAccess(_:)``.
    ///
    /// - Throws: The error that prevented opening the new files. The old connection goes on to be used then.
    func useReplacement(_ encryption: EncryptedFileSystem?) throws {
        let writer = try self.writer()
        let old = writer.connection
        let synchronous = try old.scalar("PRAGMA synchronous")
        let connection = try Connection(path: bundle.sqliteFile, mode: .readWrite, namesFilesByURI: true, encryption: encryption)
        let context = try setUp(connection)
        // A later user may have requested full synchronization in addition to the options.
        if let synchronous {
            do {
                try connection.execute("PRAGMA synchronous=\(synchronous)")
            } catch {
                connection.closeLoggingErrors()
                throw error
            }
        }
        state.withLock { $0.encryption = encryption }
        writer.replaceContext(context)
        // The path of the old connection now leads to the new files. SQLite detects this and does not change them.
        try? old.close()
    }

    /// Waits for readers and the writer, then closes all connections. Called by the registry when the file has no users any more.
    ///
    /// - Throws: `inUse` if the calling thread is reading or in a transaction; nothing has been closed then. After an error of SQLite the
    ///   file is closed nevertheless.
    func close() throws {
        guard !isInTransaction else { throw StoreError.inUse(path: bundle.directory) }
        var failure: (any Error)?
        indexWork.stop()
        do {
            try readers.closeAll()
        } catch ConnectionPoolError.closedFromWithin {
            indexWork.resume()
            throw StoreError.inUse(path: bundle.directory)
        } catch {
            failure = error
        }
        if let writer = writerIfWritable {
            do {
                try writer.lock.withLock {
                    guard !writer.connection.isClosed else { return }
                    if !writer.connection.hasMoved { Maintenance.cleanUp(writer.connection) }
                    try writer.connection.close()
                }
            } catch {
                failure = error
            }
        } else {
            logFileCleanup?.remove()
        }
        idleSnapshots.stop()
        expirations.stop()
        foreignChanges.stop()
        watch.stop()
        knownCollections.removeAll()
        state.withLock { $0.isClosed = true }
        if let failure { throw failure }
    }
}
