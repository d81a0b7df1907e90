import Base
import DatabaseRuntime
import DocumentStore
import QueryEngine

/// An object that can have indexes: a ``Collection``.
public protocol Indexable {
    /// Returns the names of all indexes, sorted.
    func indexes() throws -> [String]
    /// Creates an index that is described by a configuration.
    func createIndex(withName name: String, config: any IndexConfiguration) throws
    /// Creates an index that was made by ``IndexBuilder``.
    func createIndex(_ index: any Index, name: String) throws
    /// Deletes an index. Does nothing if it does not exist.
    func deleteIndex(forName name: String) throws
    /// Returns the index with the given name; `nil` if there is none.
    func index(withName name: String) throws -> QueryIndex?
}

/// An existing index of a collection. Thread-safe.
public final class QueryIndex: Sendable {
    /// The collection that the index belongs to.
    public let collection: Collection
    /// The name, which is unique in the collection.
    public let name: String

    init(_ name: String, of collection: Collection) { (self.name, self.collection) = (name, collection) }
}

extension Collection: Indexable {
    /// Returns the names of all indexes, sorted. Reads from disk.
    ///
    /// - Throws: ``CBLError/notOpen`` if the collection was deleted or its database is closed.
    public func indexes() throws -> [String] { try withIndexes { try $0.indexes(of: store).map(\.name) } }

    /// Creates an index, and fills it from the existing documents. Does nothing if an index with this name and definition exists; replaces
    /// one with another definition.
    ///
    /// Blocks until the index is complete; see ``Collection`` for how long it waits for other writers.
    ///
    /// - Parameter name: The name, unique in the collection. It must not be empty or contain `"` or NUL.
    /// - Parameter config: What is indexed.
    /// - Throws: ``CBLError/invalidQuery`` if an expression is invalid; ``CBLError/invalidParameter`` if the name is invalid;
    ///   ``CBLError/unsupported`` if `config` is not one of this library's types; ``CBLError/notOpen`` if the collection was deleted or its
    ///   database is closed; ``CBLError/busy`` and ``CBLError/notWriteable`` as for ``save(document:)``. An existing index remains then.
    /// - Complexity: O(*n* log *n*), where *n* is the number of documents in the collection; all of them are read.
    public func createIndex(withName name: String, config: any IndexConfiguration) throws {
        try createIndex(withName: name, config: config, progress: nil)
    }

    /// Creates an index that was made by ``IndexBuilder``; see ``createIndex(withName:config:)`` for the effects and errors.
    ///
    /// - Parameter index: What is indexed.
    /// - Parameter name: The name, unique in the collection.
    public func createIndex(_ index: any Index, name: String) throws {
        try createIndex(withName: name, config: index, progress: nil)
    }

    /// Deletes an index. Does nothing if it does not exist.
    ///
    /// - Throws: ``CBLError/notOpen`` if the collection was deleted or its database is closed; ``CBLError/busy`` and
    ///   ``CBLError/notWriteable`` as for ``save(document:)``.
    public func deleteIndex(forName name: String) throws { try withIndexes { try $0.delete(name, on: store) } }

    /// Returns the index with the given name; `nil` if there is none. Reads from disk.
    ///
    /// - Throws: ``CBLError/notOpen`` if the collection was deleted or its database is closed.
    public func index(withName name: String) throws -> QueryIndex? {
        try indexes().containsExactly(name) ? QueryIndex(name, of: self) : nil
    }
}

extension Collection {
    /// Returns what is known of each index, sorted by name: `name`, `type` (its number in the file), `lang`, `expr` and, for an array
    /// index, `unnestPath`. Used by test code (API 18).
    func indexesInfo() throws -> [[String: Any]]? { try withIndexes { try $0.indexes(of: store).map(\.summary) } }

    /// Creates an index like ``createIndex(withName:config:)``, and reports how far the creation has got.
    ///
    /// - Parameters:
    ///   - config: An index or a configuration of this library.
    ///   - progress: Called with about how many documents were indexed, and the number of all; it may throw to stop.
    package func createIndex(withName name: String, config: Any, progress: ((Int, _ total: Int) throws -> Void)?) throws {
        (config as? VectorIndexConfiguration)?.checkSense()
        try withIndexes { registry in
            guard let index = config as? any DefinesIndex else {
                throw LibraryError(CBLError.unsupported, "Indexes of type \(type(of: config)) are not supported")
            }
            try registry.create(try index.definition(named: name), on: store, progress: progress)
        }
    }

    /// Runs `body` with the file's indexes after checking that the collection exists. The list of indexes does not show that another
    /// process has deleted the collection.
    private func withIndexes<Result>(_ body: (IndexRegistry) throws -> Result) throws -> Result {
        try withOpenFile { file in
            guard try file.stillContains(store) else { throw store.notOpen }
            return try body(IndexRegistry(file))
        }
    }
}

// The functions of releases without collections. They use the default collection.
extension Database {
    /// The names of all indexes of the default collection, sorted; empty if they cannot be read. Reads from disk.
    @available(*, deprecated, message: "Use defaultCollection().indexes()")
    public var indexes: [String] { (try? defaultCollection().indexes()) ?? [] }

    /// Creates an index of the default collection; see ``Collection/createIndex(_:name:)``.
    @available(*, deprecated, message: "Use defaultCollection().createIndex(_:name:)")
    public func createIndex(_ index: any Index, withName name: String) throws { try defaultCollection().createIndex(index, name: name) }

    /// Creates an index of the default collection; see ``Collection/createIndex(withName:config:)``.
    @available(*, deprecated, message: "Use defaultCollection().createIndex(withName:config:)")
    public func createIndex(_ config: any IndexConfiguration, name: String) throws {
        try defaultCollection().createIndex(withName: name, config: config)
    }

    /// Deletes an index of the default collection; see ``Collection/deleteIndex(forName:)``.
    @available(*, deprecated, message: "Use defaultCollection().deleteIndex(forName:)")
    public func deleteIndex(forName name: String) throws { try defaultCollection().deleteIndex(forName: name) }
}
