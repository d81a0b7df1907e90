import DocumentStore
import QueryEngine

/// What a query reads: a collection, perhaps under another name.
public protocol DataSourceProtocol {}

/// A data source that can be given an alias.
public protocol DataSourceAs: DataSourceProtocol {
    /// The data source under another name.
    func `as`(_ alias: String) -> any DataSourceProtocol
}

/// Makes data sources.
public final class DataSource {
    private init() {}

    /// The default collection of a database.
    public static func database(_ database: Database) -> any DataSourceAs {
        BuiltDataSource(database, .defaultCollection, alias: database.name)
    }

    /// A collection. Unless it is given an alias it goes by its name, and outside of the default scope by its full name too.
    public static func collection(_ collection: Collection) -> any DataSourceAs {
        let id = collection.store.id
        let path = CollectionPath(scope: id.scope, name: id.name)
        let isInDefaultScope = id.scope == CollectionID.default.scope
        return BuiltDataSource(collection.database, path, alias: isInDefaultScope ? id.name : nil)
    }
}

/// A data source that the library made.
final class BuiltDataSource: DataSourceAs {
    let database: Database
    let path: CollectionPath
    /// The name in the query; without one a path with a scope is its own name.
    let alias: String?

    init(_ database: Database, _ path: CollectionPath, alias: String?) {
        self.database = database
        self.path = path
        self.alias = alias
    }

    func `as`(_ alias: String) -> any DataSourceProtocol {
        BuiltDataSource(database, path, alias: alias)
    }

    /// - Throws: When `source` is no data source of this library.
    static func of(_ source: any DataSourceProtocol) throws(QueryError) -> BuiltDataSource {
        guard let built = source as? BuiltDataSource else {
            throw .invalidQuery("\(type(of: source)) is not a data source of this library")
        }
        return built
    }
}
