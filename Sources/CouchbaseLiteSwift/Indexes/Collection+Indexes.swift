import DocumentStore
import ExactStrings
import QueryEngine

/// What can have indexes.
public protocol Indexable {
    /// The names of all indexes, sorted.
    func indexes() throws -> [String]
    /// Creates an index.
    func createIndex(withName name: String, config: any IndexConfiguration) throws
    /// Creates an index.
    func createIndex(_ index: any Index, name: String) throws
    /// Deletes an index.
    func deleteIndex(forName name: String) throws
    /// The index of that name; nil when there is none.
    func index(withName name: String) throws -> QueryIndex?
}

/// An index of a collection.
public class QueryIndex: @unchecked Sendable {
    // Unchecked because the class is open to the module; its properties never change.

    /// The collection the index is of.
    public let collection: Collection
    /// The name.
    public let name: String

    init(_ name: String, of collection: Collection) {
        self.name = name
        self.collection = collection
    }
}

extension Collection: Indexable {
    /// The names of all indexes, sorted.
    ///
    /// - Throws: `notOpen`.
    public func indexes() throws -> [String] {
        try withIndexes { try $0.indexes(of: store).map(\.name) }
    }

    /// Creates an index. If there is one of that name with the same definition nothing happens; another is replaced.
    ///
    /// - Throws: `invalidQuery` when an expression makes no sense; `invalidParameter` for a name that cannot be used; `notOpen`.
    public func createIndex(withName name: String, config: any IndexConfiguration) throws {
        try create(config, name, as: config as? any DefinesIndex)
    }

    /// Creates an index. If there is one of that name with the same definition nothing happens; another is replaced.
    ///
    /// - Throws: `invalidQuery` when an expression makes no sense; `invalidParameter` for a name that cannot be used; `notOpen`.
    public func createIndex(_ index: any Index, name: String) throws {
        try create(index, name, as: index as? any DefinesIndex)
    }

    /// Deletes an index. One that does not exist is not an error.
    ///
    /// - Throws: `notOpen`.
    public func deleteIndex(forName name: String) throws {
        try withIndexes { try $0.delete(name, on: store) }
    }

    /// The index of that name; nil when there is none.
    ///
    /// - Throws: `notOpen`.
    public func index(withName name: String) throws -> QueryIndex? {
        try indexes().containsExactly(name) ? QueryIndex(name, of: self) : nil
    }
}

extension Collection {
    /// What is known of each index, sorted by name: `name`, `type` (its number in the file), `lang`, `expr`, and of an array index
    /// `unnestPath`. Reached by test code (API 18).
    func indexesInfo() throws -> [[String: Any]]? {
        try withIndexes { registry in
            try registry.indexes(of: store).map { index in
                var info: [String: Any] = [
                    "name": index.name, "lang": index.isSQL ? "n1ql" : "json", "expr": index.expressions,
                ]
                info["type"] = index.kind?.rawValue
                info["unnestPath"] = index.arrayPath
                return info
            }
        }
    }

    private func create(_ given: Any, _ name: String, as index: (any DefinesIndex)?) throws {
        try withIndexes { registry in
            guard let index else {
                throw NSError.couchbaseLite(code: CBLError.unsupported, message: "Indexes of type \(type(of: given)) are not supported")
            }
            try registry.create(try index.definition(named: name), on: store)
        }
    }

    /// Runs `body` with the file's indexes, once it is sure that the collection is there: the list of indexes would not tell that
    /// another process has deleted it.
    private func withIndexes<Result>(_ body: (IndexRegistry) throws -> Result) throws -> Result {
        try withOpenFile { file in
            guard try file.stillHolds(store) else { throw notOpen }
            return try body(IndexRegistry(file))
        }
    }
}

// The functions of releases before collections: they act on the default collection.
extension Database {
    /// The names of all indexes of the default collection, sorted; none once the database is closed.
    public var indexes: [String] {
        (try? defaultCollection().indexes()) ?? []
    }

    /// Creates an index on the default collection; see ``Collection/createIndex(_:name:)``.
    public func createIndex(_ index: any Index, withName name: String) throws {
        try defaultCollection().createIndex(index, name: name)
    }

    /// Creates an index on the default collection; see ``Collection/createIndex(withName:config:)``.
    public func createIndex(_ config: any IndexConfiguration, name: String) throws {
        try defaultCollection().createIndex(withName: name, config: config)
    }

    /// Deletes an index of the default collection; see ``Collection/deleteIndex(forName:)``.
    public func deleteIndex(forName name: String) throws {
        try defaultCollection().deleteIndex(forName: name)
    }
}
