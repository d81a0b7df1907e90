import DatabaseRuntime

extension Database {
    /// Changes the documents that earlier versions of the app have stored, in numbered steps, each of which is done once per database.
    ///
    /// ```swift
    /// try database.migrate(to: 2) { step in
    ///     switch step.number {
    ///     case 1: try step.execute("UPDATE notes SET rank = TONUMBER(rank)")
    ///     default: try step.update(Note.self, in: "notes") { $0.title = $0.title.capitalized }
    ///     }
    /// }
    /// ```
    ///
    /// A database without a version is at 0. Each step runs in one transaction, in which its number is stored, too; it is not replicated, but
    /// is a part of copies and backups. So a step is done completely or not at all, even if the app ends meanwhile or several threads or
    /// processes call this function: one does the step, while the others wait for it. If nothing is to be done, it is a lookup by key.
    ///
    /// A database that this process has created, and in which no document was ever stored, gets the version at once, without the steps. So
    /// call this function directly after opening the database, before documents are stored and replicators are started. Steps change
    /// documents as any writer does: the changes are replicated. <doc:ChangingYourModels> shows what to do about documents that arrive later.
    ///
    /// - Parameters:
    ///   - version: The number of the newest step. A negative number is refused.
    ///   - body: Does one step. It is called on the calling thread, inside the transaction: other writers wait until it returns.
    /// - Throws: The error of `body`, unchanged: its step is rolled back, and the steps before it remain. ``CBLError/databaseTooNew`` if the
    ///   documents have a newer version; ``CBLError/invalidParameter`` for a negative version; ``CBLError/transactionNotClosed`` inside a
    ///   batch; the errors of ``batch(_:)``.
    public func migrate(to version: Int, _ body: (MigrationStep) throws -> Void) throws {
        var app = AppErrors()
        do {
            try core.migrate(to: version) { number in try app.record { try body(MigrationStep(number: number, database: self)) } }
        } catch {
            throw app.thrown ?? publicError(error)
        }
    }
}

/// One step of a migration; see ``Database/migrate(to:_:)``. Inside of the step, all functions of the database can be used that do not wait
/// for another thread that writes.
public struct MigrationStep: Sendable {
    /// The number of the step. The first one is 1.
    public let number: Int
    /// The database.
    public let database: Database

    /// Runs a statement that changes documents, or a query; see ``Database/execute(_:parameters:)``.
    @discardableResult
    public func execute(_ statement: QueryText, parameters: Parameters? = nil) throws -> StatementResult {
        try database.execute(statement, parameters: parameters)
    }

    /// Changes documents as values of a model type, one after the other; see ``ModelQuery/update(_:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the values. It may be one that only this step uses, with the properties that the documents had at that time.
    ///   - collection: The name of the collection. If it does not exist, nothing is changed.
    ///   - scope: The scope of the collection. Default: the default scope.
    ///   - predicate: Which documents are changed. Default: `nil`, all of the collection.
    ///   - change: Changes a value. It must not change its ID.
    /// - Returns: The number of changed documents.
    /// - Throws: The errors of ``ModelQuery/update(_:)``.
    @discardableResult
    public func update<Model: Codable>(
        _ type: Model.Type,
        in collection: String,
        scope: String = Database.defaultScopeName,
        where predicate: Predicate<Model>? = nil,
        _ change: (inout Model) throws -> Void
    ) throws -> Int {
        guard let collection = try database.collection(name: collection, scope: scope) else { return 0 }
        return try collection.models(type).query(where: predicate).update(change)
    }
}
