/// A query or statement under construction: the syntax tree, or the first error, and the database that it is for.
package struct Draft<Tree, Database> {
    /// The tree that was built so far, or the first error, after which nothing is added.
    package var tree: Result<Tree, QueryError>
    /// The database of the collections in it; `nil` as long as it has no source.
    package var database: Database?

    package init(tree: Result<Tree, QueryError>, database: Database? = nil) { (self.tree, self.database) = (tree, database) }

    /// The database that the query or statement is for.
    ///
    /// - Throws: The first error of the tree, or that there is no data source.
    package var source: Database {
        get throws(QueryError) {
            if let database { return database }
            _ = try tree.get()
            throw .invalidQuery("The query has no data source: from(…) is missing")
        }
    }

    /// Returns the changed query or statement, unless it has an error already.
    package func changing(_ change: (inout Tree) throws(QueryError) -> Void) -> Self {
        Draft(tree: tree.changing(change), database: database)
    }

    /// Returns the query or statement with a changed property, unless it has an error already.
    package func setting<Value>(_ path: WritableKeyPath<Tree, Value>, _ new: @autoclosure () throws(QueryError) -> Value) -> Self {
        Draft(tree: tree.setting(path, try new()), database: database)
    }
}

/// Returns `object` as the type with which this library implements its protocol.
///
/// - Parameter name: What `object` must be, with its article.
/// - Throws: `invalidQuery` if `object` has another type.
package func built<Built>(_ object: Any, _ name: String, as type: Built.Type) throws(QueryError) -> Built {
    guard let built = object as? Built else { throw .invalidQuery("\(Swift.type(of: object)) is not \(name) of this library") }
    return built
}

extension Result where Failure == QueryError {
    /// Returns the changed value, or the first error.
    package func changing(_ change: (inout Success) throws(QueryError) -> Void) -> Self {
        Self { () throws(QueryError) in
            var value = try get()
            try change(&value)
            return value
        }
    }

    /// Returns the value with a changed property, or the first error.
    package func setting<Value>(
        _ path: WritableKeyPath<Success, Value>,
        _ property: @autoclosure () throws(QueryError) -> Value
    ) -> Self { changing { value throws(QueryError) in value[keyPath: path] = try property() } }
}
