import Base
import SQLiteEngine

/// The functions for indexes that are provided by the query layer. This layer only knows the tables of indexes.
package struct IndexSupport: Sendable {
    /// Compares the indexes of a collection with the entries computed from its documents, and returns the differences. Read-only.
    package let check: @Sendable (CollectionStore, ConnectionContext) throws -> [Finding]
    /// Rebuilds all indexes from the documents, inside the writer's transaction. An index that cannot be rebuilt is not changed. Returns
    /// the messages about such indexes.
    package let rebuild: @Sendable (DatabaseFile, Writer) throws -> [String]
    /// Returns what can index texts of a collection later than their documents are stored; `nil` if the collection has no full-text index,
    /// or one that must be maintained by its triggers alone. See ``TextDeferral``.
    package let deferredTexts: @Sendable (CollectionStore, ConnectionContext) throws -> (any DeferredTextIndexes)?

    /// Rebuilds a full-text index from the documents, by the name of its table, inside the writer's transaction.
    package let rebuildFullText: @Sendable (_ table: String, CollectionStore, ConnectionContext) throws -> Void
    /// Returns the indexes that are completed before a transaction ends; `nil` if the file has none. See ``MaintainedIndexes``.
    package let maintained: @Sendable (DatabaseFile, Writer) throws -> (any MaintainedIndexes)?
    /// Describes the indexes that depend on more than the documents.
    package let dependencies: IndexDependencies

    package init(
        check: @escaping @Sendable (CollectionStore, ConnectionContext) throws -> [Finding],
        rebuild: @escaping @Sendable (DatabaseFile, Writer) throws -> [String],
        deferredTexts: @escaping @Sendable (CollectionStore, ConnectionContext) throws -> (any DeferredTextIndexes)?,
        rebuildFullText: @escaping @Sendable (_ table: String, CollectionStore, ConnectionContext) throws -> Void,
        maintained: @escaping @Sendable (DatabaseFile, Writer) throws -> (any MaintainedIndexes)? = { _, _ in nil },
        dependencies: IndexDependencies
    ) {
        self.check = check
        self.rebuild = rebuild
        self.deferredTexts = deferredTexts
        self.rebuildFullText = rebuildFullText
        self.maintained = maintained
        self.dependencies = dependencies
    }
}

/// The full-text indexes of a collection, on the writer's connection.
package protocol DeferredTextIndexes: AnyObject {
    /// Indexes the current texts of the document with a row ID, whatever the indexes contain for that row. Does nothing if there is no
    /// such document, or none that belongs to an index.
    func index(rowID: Int64) throws
}

extension DatabaseFile {
    /// Rebuilds indexes that an earlier version of this library may have written with other keys, all in one transaction, and those that
    /// were made for another order of texts or another time zone. Takes one lookup if nothing needs to be done.
    ///
    /// Must be called before the file is shared. If it is not possible, for example because another process is writing, the file is used
    /// unchanged, and the next opening tries again.
    ///
    /// - Returns: Messages for the log, see ``OpeningReport``.
    func renewOutdatedIndexes() -> [(level: EventLevel, message: String)] {
        guard let support = options.indexes, let writer = writerIfWritable else { return [] }
        // Messages are logged by the caller, without its locks.
        writer.renewal.isSuspended = true
        defer { writer.renewal.isSuspended = false }
        do {
            if try IndexFormat.isOutdated(on: writer.connection) { return try renewAllIndexes(support) }
            writer.context.adoptLocalZone()
            guard try writer.renewal.isOutdated(writer.indexConditions(support)) else { return [] }
            try transactionWithoutWaiting { try $0.renewal.renew($0.indexConditions(support)) }
            return writer.renewal.drainMessages()
        } catch {
            let message = "could not rebuild the indexes of the database at \(bundle.directory): \(error)"
            return [(.warning, message)]
        }
    }

    private func renewAllIndexes(_ support: IndexSupport) throws -> [(level: EventLevel, message: String)] {
        let failures: [String]? = try transactionWithoutWaiting { writer in
            // Another process may have rebuilt them already.
            guard try IndexFormat.isOutdated(on: writer.connection) else { return nil }
            let failures = try support.rebuild(self, writer)
            try IndexFormat.note(on: writer.connection)
            return failures
        }
        guard let failures else { return [] }
        let message = "rebuilt the indexes of the database at \(bundle.directory), which an earlier version may have written"
        return failures.map { (.warning, $0) } + [(.info, message)]
    }

    private func transactionWithoutWaiting<Result>(_ body: (Writer) throws -> Result) throws -> Result {
        let writer = try self.writer()
        writer.connection.busyTimeout = .zero
        defer { writer.connection.busyTimeout = options.busyTimeout }
        return try transaction(body)
    }
}
