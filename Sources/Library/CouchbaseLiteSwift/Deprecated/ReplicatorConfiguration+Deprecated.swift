#if Replication
import DocumentStore

// The initializer and properties of releases without collections: they apply to the default collection. If it was not added, the properties
// are `nil`, and setting one is a misuse (internal inconsistency).
extension ReplicatorConfiguration {
    /// Creates a configuration for the default collection. It is a misuse (invalid argument) if the database is closed.
    @available(*, deprecated, message: "Use init(target:) and addCollection(_:config:)")
    public convenience init(database: Database, target: any Endpoint) {
        self.init(target: target)
        addCollection(database.openDefaultCollection(to: "replicate"))
    }

    /// The database of the collections. It is a misuse (internal inconsistency) to read it if no collection was added.
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database {
        guard let database = entries.first?.collection.database else {
            _CBLMisuse.inconsistency("The configuration has no database: no collection was added.")
        }
        return database
    }

    @available(*, deprecated, message: "Use CollectionConfiguration.channels")
    public var channels: [String]? {
        get { defaultConfig?.channels }
        set { setDefault(\.channels, newValue) }
    }

    @available(*, deprecated, message: "Use CollectionConfiguration.documentIDs")
    public var documentIDs: [String]? {
        get { defaultConfig?.documentIDs }
        set { setDefault(\.documentIDs, newValue) }
    }

    @available(*, deprecated, message: "Use CollectionConfiguration.pushFilter")
    @preconcurrency public var pushFilter: ReplicationFilter? {
        get { defaultConfig?.pushFilter }
        set { setDefault(\.pushFilter, newValue) }
    }

    @available(*, deprecated, message: "Use CollectionConfiguration.pullFilter")
    @preconcurrency public var pullFilter: ReplicationFilter? {
        get { defaultConfig?.pullFilter }
        set { setDefault(\.pullFilter, newValue) }
    }

    @available(*, deprecated, message: "Use CollectionConfiguration.conflictResolver")
    public var conflictResolver: (any ConflictResolverProtocol)? {
        get { defaultConfig?.conflictResolver }
        set { setDefault(\.conflictResolver, newValue) }
    }

    private var defaultConfig: CollectionConfiguration? { entries.first { $0.collection.store.id == .default }?.config }

    private func setDefault<Value>(_ property: WritableKeyPath<CollectionConfiguration, Value>, _ value: Value) {
        guard let index = entries.firstIndex(where: { $0.collection.store.id == .default }) else {
            _CBLMisuse.inconsistency("The configuration has no default collection.")
        }
        entries[index].config[keyPath: property] = value
    }
}

extension Database {
    /// Returns the default collection. It is a misuse (invalid argument) if the database is closed.
    func openDefaultCollection(to purpose: String) -> Collection {
        if let collection = try? defaultCollection() { return collection }
        _CBLMisuse.invalidArgument("Database \"\(name)\" cannot be \(purpose)d: it is closed.")
    }
}
#endif
