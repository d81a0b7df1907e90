import DocumentStore
import QueryEngine

/// A data source of a query: a collection, optionally with an alias.
public protocol DataSourceProtocol {}

/// A data source that can be given an alias.
public protocol DataSourceAs: DataSourceProtocol {
    /// Returns the data source with an alias.
    func `as`(_ alias: String) -> any DataSourceProtocol
}

/// Creates data sources.
public final class DataSource {
    private init() {}

    /// Returns the default collection of a database. Its alias is the name of the database.
    public static func database(_ database: Database) -> any DataSourceAs {
        BuiltDataSource(database, .defaultCollection, alias: database.name)
    }

    /// Returns a collection. Without an alias the query refers to it by its name or, if it is not in the default scope, also by its full
    /// name.
    public static func collection(_ collection: Collection) -> any DataSourceAs {
        let id = collection.store.id
        let path = CollectionPath(scope: id.scope, name: id.name)
        let isInDefaultScope = id.scope == CollectionID.default.scope
        return BuiltDataSource(collection.database, path, alias: isInDefaultScope ? id.name : nil)
    }
}

/// A data source created by this library.
final class BuiltDataSource: DataSourceAs {
    let database: Database
    let path: CollectionPath
    /// The name in the query; `nil` if the query refers to the collection by its path.
    let alias: String?

    init(_ database: Database, _ path: CollectionPath, alias: String?) { (self.database, self.path, self.alias) = (database, path, alias) }

    func `as`(_ alias: String) -> any DataSourceProtocol { BuiltDataSource(database, path, alias: alias) }

    /// Returns the data source in the form of the syntax tree.
    ///
    /// - Throws: `invalidQuery` if `source` was not created by this library.
    static func source(of source: any DataSourceProtocol) throws(QueryError) -> Source {
        let built = try built(source, "a data source", as: BuiltDataSource.self)
        return .collection(built.path, alias: built.alias)
    }
}
