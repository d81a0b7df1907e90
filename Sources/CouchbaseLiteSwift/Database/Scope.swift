import DocumentStore

/// A name space of collections. It exists as long as it has a collection.
public final class Scope: Sendable {
    /// The name of the scope that always exists.
    public static let defaultScopeName = CollectionID.defaultName

    /// The name.
    public let name: String
    /// The database the scope belongs to.
    public let database: Database

    init(_ name: String, database: Database) {
        self.name = name
        self.database = database
    }

    /// The collections of the scope, in the order of their names.
    public func collections() throws -> [Collection] {
        try database.collections(scope: name)
    }

    /// The collection of that name; nil when there is none.
    public func collection(name: String) throws -> Collection? {
        try database.collection(name: name, scope: self.name)
    }
}
