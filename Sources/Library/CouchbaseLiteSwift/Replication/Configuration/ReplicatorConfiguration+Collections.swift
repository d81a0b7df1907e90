#if Replication
import DatabaseRuntime

extension ReplicatorConfiguration {
    /// The collections that are replicated, in the order in which they were added.
    ///
    /// The type is that of releases up to 3.2. Releases of 4.x have ``collectionConfigurations`` under this name.
    public var collections: [Collection] { entries.map(\.collection) }

    /// The configurations of the collections, in the order in which they were added; in releases of 4.x, this property is `collections`.
    public var collectionConfigurations: [CollectionConfiguration] { entries.map(\.config) }

    /// Adds a collection, or replaces the configuration of one that was added before.
    ///
    /// It is a misuse (invalid argument) to add a collection that was deleted, whose database is closed, or that belongs to another
    /// `Database` object than those added before; ``addCollection(validating:config:)`` throws an error instead.
    ///
    /// - Parameter collection: The collection to replicate.
    /// - Parameter config: The configuration of the collection; `nil`, the default, replicates all documents.
    /// - Returns: This object.
    @available(*, deprecated, message: "Use init(collections:target:)")
    @discardableResult
    public func addCollection(_ collection: Collection, config: CollectionConfiguration? = nil) -> ReplicatorConfiguration {
        addCollections([collection], config: config)
    }

    /// Adds a collection that may be invalid; see ``addCollection(_:config:)``.
    ///
    /// - Throws: ``CBLError/notOpen`` if the collection was deleted or its database is closed; ``CBLError/invalidParameter`` if it belongs to
    ///   another `Database` object than those added before. Nothing is changed then.
    @available(*, deprecated, message: "Use init(validating:target:)")
    @discardableResult
    public func addCollection(validating collection: Collection, config: CollectionConfiguration? = nil) throws -> ReplicatorConfiguration {
        try addCollections(validating: [collection], config: config)
    }

    /// Adds collections; see ``addCollection(_:config:)``. It is a misuse (invalid argument) if the array is empty;
    /// ``addCollections(validating:config:)`` throws an error instead.
    ///
    /// - Parameters:
    ///   - collections: The collections, all of one database.
    ///   - config: The configuration of each collection; `nil`, the default, replicates all documents.
    /// - Returns: This object.
    @available(*, deprecated, message: "Use init(collections:target:)")
    @discardableResult
    public func addCollections(_ collections: [Collection], config: CollectionConfiguration? = nil) -> ReplicatorConfiguration {
        _CBLMisuse.trap { () throws(Misuse) in try check(collections) }
        return add(collections, config)
    }

    /// Adds collections that may be invalid; see ``addCollections(_:config:)``.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if the array is empty; otherwise as ``addCollection(validating:config:)``. Nothing is changed
    ///   then.
    @available(*, deprecated, message: "Use init(validating:target:)")
    @discardableResult
    public func addCollections(
        validating collections: [Collection],
        config: CollectionConfiguration? = nil
    ) throws -> ReplicatorConfiguration {
        try throwingPublicErrors { try check(collections) }
        return add(collections, config)
    }

    /// Removes a collection, and returns this object. Does nothing if the collection was not added.
    @available(*, deprecated, message: "Use init(collections:target:), with the other collections")
    @discardableResult
    public func removeCollection(_ collection: Collection) -> ReplicatorConfiguration {
        entries.removeAll { $0.collection.isSame(as: collection) }
        return self
    }

    /// Returns the configuration of a collection; `nil` if it was not added.
    @available(*, deprecated, message: "Use collectionConfigurations")
    public func collectionConfig(_ collection: Collection) -> CollectionConfiguration? {
        entries.first { $0.collection.isSame(as: collection) }?.config
    }

    private func check(_ collections: [Collection]) throws(Misuse) {
        try collections.checkTogether(to: "replicate")
        guard let database = entries.first?.collection.database, let other = collections.first, database !== other.database else { return }
        throw .invalidArgument("Collection \"\(other.fullName)\" belongs to another database than the collections added before.")
    }

    private func add(_ collections: [Collection], _ config: CollectionConfiguration?) -> ReplicatorConfiguration {
        for collection in collections { set(config ?? CollectionConfiguration(collection: collection), of: collection) }
        return self
    }

    private func set(_ config: CollectionConfiguration, of collection: Collection) {
        if let index = entries.firstIndex(where: { $0.collection.isSame(as: collection) }) {
            entries[index] = Entry(entries[index].collection, config)
        } else {
            entries.append(Entry(collection, config))
        }
    }

    /// Adds the collections of a configuration that has none.
    func set(_ configurations: [CollectionConfiguration]) throws(Misuse) {
        var collections: [Collection] = []
        for configuration in configurations {
            guard let collection = configuration.knownCollection else {
                throw .invalidArgument("The configuration of a collection to replicate has no collection: it was created without one.")
            }
            collections.append(collection)
        }
        try check(collections)
        for (configuration, collection) in zip(configurations, collections) { set(configuration, of: collection) }
    }
}

extension [Collection] {
    /// Checks that the collections can be replicated or served together.
    ///
    /// - Parameter purpose: `replicate` or `serve`.
    func checkTogether(to purpose: String) throws(Misuse) {
        try Misuse.check(collections: map { ($0.database, $0.fullName, $0.isValid) }, to: purpose)
    }
}
#endif
