import Base
import DocumentStore

extension Database {
    /// Returns the default scope, named `_default`.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func defaultScope() throws -> Scope {
        _ = try throwingPublicErrors { try openFile() }
        return Scope(Self.defaultScopeName, database: self)
    }

    /// Returns all scopes that contain collections, and the default scope, sorted by name. Reads from disk.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func scopes() throws -> [Scope] {
        try throwingPublicErrors {
            let names = Set(try withFile { try $0.collectionIDs() }.map(\.scope)).union([Self.defaultScopeName])
            return names.sorted().map { Scope($0, database: self) }
        }
    }

    /// Returns the scope with the given name; `nil` if it contains no collections. The default scope always exists. Reads from disk.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func scope(name: String) throws -> Scope? { try scopes().first { $0.name.isExactly(name) } }

    /// Returns the collections of a scope, sorted by name. Reads from disk.
    ///
    /// - Parameter scope: The name of the scope; the default scope if it is omitted or `nil`.
    /// - Returns: An empty array if there is no such scope.
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func collections(scope: String? = defaultScopeName) throws -> [Collection] {
        let scope = scope ?? Self.defaultScopeName
        return try throwingPublicErrors {
            try withFile { file in
                try file.collectionIDs().filter { $0.scope.isExactly(scope) }.compactMap { id in
                    try file.collection(id).map { Collection($0, database: self) }
                }
            }
        }
    }

    /// Returns the collection with the given name, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - name: 1 to 251 of the characters `A-Z a-z 0-9 _ - %`, not starting with `_` or `%`.
    ///   - scope: The name of the scope, for which the same rules apply; the default scope if it is omitted or `nil`.
    /// - Throws: ``CBLError/invalidParameter`` if a name is invalid; ``CBLError/notOpen`` if the database is closed; ``CBLError/busy`` and
    ///   ``CBLError/notWriteable`` as for ``Collection/save(document:)``.
    public func createCollection(name: String, scope: String? = defaultScopeName) throws -> Collection {
        try throwingPublicErrors {
            let id = try CollectionID(name: name, scope: scope ?? Self.defaultScopeName)
            return Collection(try withFile { try $0.createCollection(id) }, database: self)
        }
    }

    /// Returns the collection with the given name; `nil` if there is none. Reads from disk.
    ///
    /// - Parameter name: The name of the collection.
    /// - Parameter scope: The name of the scope; the default scope if it is omitted or `nil`.
    /// - Throws: ``CBLError/invalidParameter`` if a name is invalid; ``CBLError/notOpen`` if the database is closed.
    public func collection(name: String, scope: String? = defaultScopeName) throws -> Collection? {
        try throwingPublicErrors {
            let id = try CollectionID(name: name, scope: scope ?? Self.defaultScopeName)
            return try withFile { try $0.collection(id) }.map { Collection($0, database: self) }
        }
    }

    /// Deletes a collection with all its documents and indexes. Does nothing if there is no such collection.
    ///
    /// All ``Collection`` objects that represent it become unusable, even if a collection with the same name is created again.
    ///
    /// - Parameter name: The name of the collection.
    /// - Parameter scope: The name of the scope; the default scope if it is omitted or `nil`.
    /// - Throws: ``CBLError/invalidParameter`` for the default collection, which cannot be deleted, and if a name is invalid;
    ///   ``CBLError/notOpen`` if the database is closed; ``CBLError/busy`` and ``CBLError/notWriteable`` as for
    ///   ``Collection/save(document:)``.
    public func deleteCollection(name: String, scope: String? = defaultScopeName) throws {
        try throwingPublicErrors {
            let id = try CollectionID(name: name, scope: scope ?? Self.defaultScopeName)
            try withFile { try $0.deleteCollection(id) }
        }
    }
}

/// A namespace for collections. A scope exists while it contains a collection; the default scope always exists.
public final class Scope: Sendable {
    /// The name of the default scope: `_default`.
    public static let defaultScopeName = CollectionID.defaultName

    /// The name of the scope.
    public let name: String
    /// The database that the scope belongs to.
    public let database: Database

    init(_ name: String, database: Database) { (self.name, self.database) = (name, database) }

    /// Returns the collections of the scope, sorted by name. Reads from disk.
    ///
    /// - Throws: ``CBLError/notOpen`` if the database is closed.
    public func collections() throws -> [Collection] { try database.collections(scope: name) }

    /// Returns the collection with the given name in this scope; `nil` if there is none. Reads from disk.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the name is invalid; ``CBLError/notOpen`` if the database is closed.
    public func collection(name: String) throws -> Collection? { try database.collection(name: name, scope: self.name) }
}
