import QueryEngine
import QueryLanguage

/// A statement that changes properties of documents, built by ``QueryBuilder/update(_:)``.
///
/// ```swift
/// let result = try QueryBuilder.update(DataSource.collection(airports))
///     .set("visits", to: Expression.property("visits").add(Expression.int(1)))
///     .unset("draft")
///     .where(Expression.property("tz").equalTo(Expression.parameter("tz")))
///     .execute(parameters: Parameters(["tz": "Europe/Paris"]))
/// ```
///
/// Each method returns a new statement. Building never fails; an invalid statement throws when it is run.
public struct UpdateStatement {
    private let draft: StatementDraft

    fileprivate init(_ draft: StatementDraft) { self.draft = draft }

    /// Sets the property at a path such as `address.city` or `tags[0]`.
    ///
    /// - Parameters:
    ///   - path: The property. Dictionaries on the path that are missing are created.
    ///   - value: The new value, computed from the document before the change. If it is missing, the property is removed.
    public func set(_ path: String, to value: any ExpressionProtocol) -> UpdateStatement { UpdateStatement(draft.assigning(path, value)) }

    /// Removes the property at a path. Does nothing if it does not exist.
    public func unset(_ path: String) -> UpdateStatement { UpdateStatement(draft.assigning(path, nil)) }

    /// Selects the documents to be changed: those for which the condition is true. Without a condition all documents are changed.
    public func `where`(_ expression: any ExpressionProtocol) -> UpdateStatement { UpdateStatement(draft.setting(\.condition, expression)) }

    /// Limits the number of documents to be changed. Which ones are changed is not specified.
    public func limit(_ limit: any ExpressionProtocol) -> UpdateStatement { UpdateStatement(draft.setting(\.limit, limit)) }

    /// Returns columns of the changed documents as ``StatementResult/rows``.
    public func returning(_ results: any SelectResultProtocol...) -> UpdateStatement { UpdateStatement(draft.returning(results)) }

    /// Runs the statement; see ``Database/execute(_:parameters:)``.
    @discardableResult
    public func execute(parameters: Parameters? = nil) throws -> StatementResult { try draft.execute(parameters) }
}

/// A statement that deletes documents, built by ``QueryBuilder/delete(from:)``.
///
/// Each method returns a new statement. Building never fails; an invalid statement throws when it is run.
public struct DeleteStatement {
    private let draft: StatementDraft

    fileprivate init(_ draft: StatementDraft) { self.draft = draft }

    /// Selects the documents to be deleted: those for which the condition is true. Without a condition all documents are deleted.
    public func `where`(_ expression: any ExpressionProtocol) -> DeleteStatement { DeleteStatement(draft.setting(\.condition, expression)) }

    /// Limits the number of documents to be deleted. Which ones are deleted is not specified.
    public func limit(_ limit: any ExpressionProtocol) -> DeleteStatement { DeleteStatement(draft.setting(\.limit, limit)) }

    /// Returns columns of the documents, as they were before the deletion, as ``StatementResult/rows``.
    public func returning(_ results: any SelectResultProtocol...) -> DeleteStatement { DeleteStatement(draft.returning(results)) }

    /// Runs the statement; see ``Database/execute(_:parameters:)``.
    @discardableResult
    public func execute(parameters: Parameters? = nil) throws -> StatementResult { try draft.execute(parameters) }
}

extension QueryBuilder {
    /// Starts a statement that changes documents of a collection. At least one property must be set or removed.
    public static func update(_ dataSource: any DataSourceProtocol) -> UpdateStatement {
        UpdateStatement(StatementDraft(.update([]), in: dataSource))
    }

    /// Starts a statement that deletes documents of a collection.
    public static func delete(from dataSource: any DataSourceProtocol) -> DeleteStatement {
        DeleteStatement(StatementDraft(.delete, in: dataSource))
    }
}

private typealias StatementDraft = Draft<DataStatement, Database>

extension StatementDraft {
    fileprivate init(_ change: DataStatement.Change, in dataSource: any DataSourceProtocol) {
        let tree = Swift.Result { () throws(QueryError) in DataStatement(change, in: try syntaxTree(of: dataSource, "a data source")) }
        self.init(tree: tree, database: (dataSource as? BuiltDataSource)?.database)
    }

    fileprivate func assigning(_ path: String, _ value: (any ExpressionProtocol)?) -> Self {
        changing { statement throws(QueryError) in try statement.assign(path, try value?.queryExpression()) }
    }

    fileprivate func returning(_ results: [any SelectResultProtocol]) -> Self {
        changing { statement throws(QueryError) in statement.returning += try syntaxTrees(of: results, "a column") }
    }

    fileprivate func execute(_ parameters: Parameters?) throws -> StatementResult {
        try throwingPublicErrors {
            let statement = try tree.get()
            try statement.checkAssignments()
            guard let database else { throw QueryError.invalidQuery("the statement has no data source") }
            return try database.execute(statement, parameters, database.cancellation)
        }
    }
}
