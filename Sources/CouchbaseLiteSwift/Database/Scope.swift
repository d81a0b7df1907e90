import DocumentStore

/// A namespace for collections. A scope exists while it contains a collection; the default scope always exists.
public final class Scope: Sendable {
    /// The name of the default scope: `_default`.
    public static let defaultScopeName = CollectionID.defaultName

    /// The name of the scope.
    public let name: String
    /// The database that the scope belongs to.
    public let database: Database

    init(_ name: String, database: Database) {
        self.name = name
        self.database = database
    }

    /// Returns the collections of the scope, sorted by name. Reads from disk.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func collections() throws -> [Collection] { try database.collections(scope: name) }

    /// Returns the collection with the given name in this scope; `nil` if there is none. Reads from disk.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the name is invalid; ``CBLError/notOpen`` if the database is closed.
    public func collection(name: String) throws -> Collection? { try database.collection(name: name, scope: self.name) }
}
