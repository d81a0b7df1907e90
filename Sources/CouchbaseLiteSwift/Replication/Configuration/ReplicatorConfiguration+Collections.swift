#if Replication
import DocumentStore

extension ReplicatorConfiguration {
    /// The collections that are replicated, in the order in which they were added.
    public var collections: [Collection] { entries.map(\.collection) }

    /// Adds a collection, or replaces the configuration of one that was added before.
    ///
    /// It is a misuse (invalid argument) to add a collection that was deleted, whose database is closed, or that belongs to another
    /// `Database` object than those added before.
    ///
    /// - Parameters:
    ///   - collection: The collection.
    ///   - config: The configuration of the collection; `nil`, the default, replicates all documents.
    /// - Returns: This object.
    @discardableResult
    public func addCollection(_ collection: Collection, config: CollectionConfiguration? = nil) -> ReplicatorConfiguration {
        check(collection)
        add(collection, config ?? CollectionConfiguration())
        return self
    }

    /// Adds collections; see ``addCollection(_:config:)``. It is a misuse (invalid argument) if the array is empty.
    ///
    /// - Parameters:
    ///   - collections: The collections, all of one database.
    ///   - config: The configuration of each collection; `nil`, the default, replicates all documents.
    /// - Returns: This object.
    @discardableResult
    public func addCollections(_ collections: [Collection], config: CollectionConfiguration? = nil) -> ReplicatorConfiguration {
        guard let first = collections.first else {
            _CBLMisuse.invalidArgument("The array of collections to replicate is empty.")
        }
        for collection in collections {
            guard collection.database === first.database else {
                _CBLMisuse.invalidArgument("The collections to replicate belong to several databases.")
            }
            check(collection)
        }
        for collection in collections { add(collection, config ?? CollectionConfiguration()) }
        return self
    }

    /// Removes a collection. Does nothing if it was not added.
    ///
    /// - Parameter collection: The collection.
    /// - Returns: This object.
    @discardableResult
    public func removeCollection(_ collection: Collection) -> ReplicatorConfiguration {
        entries.removeAll { $0.collection.isSame(as: collection) }
        return self
    }

    /// Returns the configuration of a collection; `nil` if it was not added.
    ///
    /// - Parameter collection: The collection.
    public func collectionConfig(_ collection: Collection) -> CollectionConfiguration? {
        entries.first { $0.collection.isSame(as: collection) }?.config
    }

    private func check(_ collection: Collection) {
        guard collection.isValid else {
            _CBLMisuse.invalidArgument(
                "Collection \"\(collection.fullName)\" cannot be replicated: it was deleted, or its database is closed."
            )
        }
        guard let database = entries.first?.collection.database, database !== collection.database else { return }
        _CBLMisuse.invalidArgument("Collection \"\(collection.fullName)\" belongs to another database than the collections added before.")
    }

    private func add(_ collection: Collection, _ config: CollectionConfiguration) {
        if let index = entries.firstIndex(where: { $0.collection.isSame(as: collection) }) {
            entries[index].config = config
        } else {
            entries.append(Entry(collection: collection, config: config))
        }
    }
}
#endif
