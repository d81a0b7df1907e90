import DocumentStore

extension DatabaseCore {
    /// Calls `step` with the number of each step that the documents have not been through yet, each in one transaction that also stores the
    /// number. A file that was created by this opening, and in which nothing was stored, gets the newest version without any step.
    ///
    /// - Throws: `invalidParameter` if `version` is negative; `databaseTooNew` if the documents have a newer version; `inTransaction` inside
    ///   a batch; the error of `step`, after which the steps before it remain; the errors of the transactions.
    package func migrate(to version: Int, _ step: (_ number: Int) throws -> Void) throws {
        guard let target = UInt64(exactly: version) else {
            throw LibraryError(LibraryError.Code.invalidParameter, "The version \(version) of a migration is negative")
        }
        let file = try openFile()
        if file.isInTransaction { throw StoreError.inTransaction(path: file.bundle.directory) }
        while try found(upTo: target) < target {
            try batch {
                // Another thread or process may have done the step while this one waited for the transaction.
                let found = try self.found(upTo: target)
                guard found < target else { return }
                if try found == 0 && withFile({ try $0.isUnused() }) {
                    try withFile { try $0.setContentVersion(target) }
                } else {
                    try step(Int(found + 1))
                    try withFile { try $0.setContentVersion(found + 1) }
                }
            }
        }
    }

    /// Returns the version of the documents.
    ///
    /// - Throws: `databaseTooNew` if it is above `target`.
    private func found(upTo target: UInt64) throws -> UInt64 {
        let found = try withFile { try $0.contentVersion() }
        guard found <= target else {
            let message =
                "The documents of database \"\(name)\" have version \(found), which a newer version of the app has given them. "
                + "This app migrates to version \(target)"
            throw LibraryError(LibraryError.Code.databaseTooNew, message)
        }
        return found
    }
}
