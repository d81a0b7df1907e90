#if Replication
// Configurations of listeners as in the releases before there were collections.

extension URLEndpointListenerConfiguration {
    /// The database of the collections.
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database { collections[0].database }

    /// Creates a configuration for the default collection. It is a misuse (invalid argument) if the database is closed.
    ///
    /// - Parameter database: The database.
    @available(*, deprecated, message: "Use init(collections:)")
    public convenience init(database: Database) {
        guard let collection = try? database.defaultCollection() else {
            _CBLMisuse.invalidArgument("Database \"\(database.name)\" cannot be served: it is closed.")
        }
        self.init(collections: [collection])
    }
}

extension MessageEndpointListenerConfiguration {
    /// The database of the collections.
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database { collections[0].database }

    /// Creates a configuration for the default collection. It is a misuse (invalid argument) if the database is closed.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - protocolType: Whether the app's transport preserves message boundaries.
    @available(*, deprecated, message: "Use init(collections:protocolType:)")
    public init(database: Database, protocolType: ProtocolType) {
        guard let collection = try? database.defaultCollection() else {
            _CBLMisuse.invalidArgument("Database \"\(database.name)\" cannot be served: it is closed.")
        }
        self.init(collections: [collection], protocolType: protocolType)
    }
}
#endif
