import DocumentStore
import QueryLanguage

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
    @available(*, deprecated, message: "Use collection(_:), for example with defaultCollection()")
    public static func database(_ database: Database) -> any DataSourceAs {
        BuiltDataSource(database, .success(.collection(.defaultCollection, alias: database.name)))
    }

    /// Returns a collection. Without an alias the query refers to it by its name or, if it is not in the default scope, also by its full
    /// name.
    public static func collection(_ collection: Collection) -> any DataSourceAs {
        let id = collection.store.id
        let isInDefaultScope = id.scope == CollectionID.default.scope
        let source = Source.collection(CollectionPath(scope: id.scope, name: id.name), alias: isInDefaultScope ? id.name : nil)
        return BuiltDataSource(collection.database, .success(source))
    }
}

/// A data source created by this library.
final class BuiltDataSource: BuiltPart<Source>, DataSourceAs {
    let database: Database

    init(_ database: Database, _ source: Swift.Result<Source, QueryError>) {
        self.database = database
        super.init(source)
    }

    func `as`(_ alias: String) -> any DataSourceProtocol { BuiltDataSource(database, tree.setting(\.alias, alias)) }
}
