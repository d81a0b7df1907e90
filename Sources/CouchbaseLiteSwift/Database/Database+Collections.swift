import DocumentStore
import ExactStrings

extension Database {
    /// The default scope.
    public func defaultScope() throws -> Scope {
        _ = try throwingPublicErrors { try openFile() }
        return Scope(Self.defaultScopeName, database: self)
    }

    /// All scopes that have collections, and the default scope, which need not have any.
    public func scopes() throws -> [Scope] {
        try throwingPublicErrors {
            let names = Set(try withFile { try $0.collectionIDs() }.map(\.scope)).union([Self.defaultScopeName])
            return names.sorted().map { Scope($0, database: self) }
        }
    }

    /// The scope of that name; nil when it has no collections. The default scope is always there.
    public func scope(name: String) throws -> Scope? {
        try scopes().first { $0.name.isExactly(name) }
    }

    /// The collections of a scope, in the order of their names; none when there is no such scope.
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

    /// The collection of that name, which is created if there is none.
    ///
    /// - Throws: `invalidParameter` when either name breaks the rules: 1 to 251 of the characters `A-Z a-z 0-9 _ - %`, not
    ///   starting with `_` or `%`.
    public func createCollection(name: String, scope: String? = defaultScopeName) throws -> Collection {
        try throwingPublicErrors {
            let id = try CollectionID(name: name, scope: scope ?? Self.defaultScopeName)
            return Collection(try withFile { try $0.createCollection(id) }, database: self)
        }
    }

    /// The collection of that name; nil when there is none.
    ///
    /// - Throws: `invalidParameter` when either name breaks the rules.
    public func collection(name: String, scope: String? = defaultScopeName) throws -> Collection? {
        try throwingPublicErrors {
            let id = try CollectionID(name: name, scope: scope ?? Self.defaultScopeName)
            return try withFile { try $0.collection(id) }.map { Collection($0, database: self) }
        }
    }

    /// Deletes a collection with all its documents and indexes. Does nothing when there is none.
    ///
    /// - Throws: `invalidParameter` for the default collection, which cannot be deleted, and for names that break the rules.
    public func deleteCollection(name: String, scope: String? = defaultScopeName) throws {
        try throwingPublicErrors {
            let id = try CollectionID(name: name, scope: scope ?? Self.defaultScopeName)
            try withFile { try $0.deleteCollection(id) }
        }
    }
}
