#if Replication
import Replication

/// What a ``URLEndpointListener`` serves, and to whom.
///
/// A class, so that both `let` and `var` of the older and newer API work; a listener copies what it is given.
public final class URLEndpointListenerConfiguration {
    /// 0: a port that is free.
    public static let defaultPort: UInt16 = 0
    /// False: TLS is used.
    public static let defaultDisableTls = false
    /// False: clients may push.
    public static let defaultReadOnly = false
    /// False: documents are sent whole.
    public static let defaultEnableDeltaSync = false
    /// 20 MiB.
    public static let defaultMaxDocumentSize: UInt = UInt(PassiveOptions.defaultDocumentSize)
    /// 256 clients.
    public static let defaultMaxConnections: UInt = 256

    /// The collections that are served, of one database.
    public let collections: [Collection]

    /// The port to listen on; nil or 0 for any that is free.
    public var port: UInt16? = URLEndpointListenerConfiguration.defaultPort
    /// The network interface to listen on, by its name or address; `localhost` for this machine only; nil for all.
    public var networkInterface: String?
    /// Whether connections are not encrypted.
    public var disableTLS = URLEndpointListenerConfiguration.defaultDisableTls
    /// Who the listener is in TLS; nil for a certificate that it makes, signs itself, and uses again.
    public var tlsIdentity: TLSIdentity?
    /// Who may connect; nil for everybody.
    public var authenticator: (any ListenerAuthenticator)?
    /// Whether clients may pull only.
    public var readOnly = URLEndpointListenerConfiguration.defaultReadOnly
    /// Whether changes are exchanged as differences where the other side can do that too.
    public var enableDeltaSync = URLEndpointListenerConfiguration.defaultEnableDeltaSync
    /// The largest document that clients may push, in bytes of its JSON. A larger one is refused (HTTP 413), and the others go on. What is saved
    /// here by the app itself may have any size, and is served.
    public var maxDocumentSize = URLEndpointListenerConfiguration.defaultMaxDocumentSize
    /// How many clients may be connected at a time. One more is told to come again later (HTTP 503), which replicators do by themselves; but
    /// one that has said nothing for a while gives way to it.
    public var maxConnections = URLEndpointListenerConfiguration.defaultMaxConnections

    /// The database of the collections.
    @available(*, deprecated, message: "Use Collection.database")
    public var database: Database { collections[0].database }

    /// A configuration for the default collection.
    @available(*, deprecated, message: "Use init(collections:)")
    public convenience init(database: Database) {
        guard let collection = try? database.defaultCollection() else {
            _CBLMisuse.invalidArgument("Database \"\(database.name)\" cannot be served: it is closed.")
        }
        self.init(collections: [collection])
    }

    /// - Parameter collections: At least one, all of one database; anything else is a misuse (invalid argument).
    public init(collections: [Collection]) {
        ServedCollections.check(collections)
        self.collections = collections
    }

    /// A copy.
    public init(config: URLEndpointListenerConfiguration) {
        collections = config.collections
        port = config.port
        networkInterface = config.networkInterface
        disableTLS = config.disableTLS
        tlsIdentity = config.tlsIdentity
        authenticator = config.authenticator
        readOnly = config.readOnly
        enableDeltaSync = config.enableDeltaSync
        maxConnections = config.maxConnections
        maxDocumentSize = config.maxDocumentSize
    }
}

enum ServedCollections {
    /// A misuse when these cannot be served together.
    static func check(_ collections: [Collection]) {
        guard let first = collections.first else {
            _CBLMisuse.invalidArgument("The array of collections to serve is empty.")
        }
        for collection in collections {
            guard collection.database === first.database else {
                _CBLMisuse.invalidArgument("The collections to serve belong to several databases.")
            }
            guard collection.isValid else {
                _CBLMisuse.invalidArgument(
                    "Collection \"\(collection.fullName)\" cannot be served: it was deleted, or its database is closed."
                )
            }
        }
    }
}
#endif
