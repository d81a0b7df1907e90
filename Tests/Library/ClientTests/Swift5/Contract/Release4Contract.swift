#if Replication
import CouchbaseLiteSwift
import Foundation

/// The declarations of releases 3.3 to 4.1 as apps in Swift 5 mode use them: what does not compile here breaks apps.
enum Release4Contract {
    static func document(_ document: Document) {
        let _: UInt64 = document.timestamp
        let _: String? = document._getRevisionHistory()
    }

    static func configuration(_ collections: [Collection], _ target: Endpoint) {
        var one = CollectionConfiguration(collection: collections[0])
        let _: Collection = one.collection
        one.channels = ["a"]
        one.documentIDs = ["b"]
        one.pushFilter = { _, _ in true }
        one.pullFilter = nil
        one.conflictResolver = ConflictResolver.default
        let many: [CollectionConfiguration] = CollectionConfiguration.fromCollections(collections)
        let config = ReplicatorConfiguration(collections: [one] + many, target: target)
        let _: [CollectionConfiguration] = config.collectionConfigurations
        config.continuous = true
        let replicator = Replicator(config: config)
        let _: String? = replicator.correlationID
    }

    static func logging(_ domain: LogDomain) {
        let _: UInt = domain.rawValue
        let _: LogDomains = [.peerDiscovery, .mdns, .multipeer, .database]
        let (kept, size): (Int, UInt64) = (12, 1_048_576)
        LogSinks.file = FileLogSink(level: .verbose, directory: "logs", usePlainText: true, maxKeptFiles: kept, maxFileSize: size)
        LogSinks.file = FileLogSink(level: .verbose, directory: "logs", maxKeptFiles: 12, maxFileSize: 1024 * 1024)
        LogSinks.console = ConsoleLogSink(level: .info, domains: .all)
        switch domain {
        case .database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer: break
        @unknown default: break
        }
    }

    static func identities(_ issuer: TLSIdentity) throws {
        let usages: KeyUsages = [.clientAuth, .serverAuth]
        let _: UInt = usages.rawValue
        let attributes = [certAttrCommonName: "a"]
        let _: TLSIdentity = try TLSIdentity.createIdentity(for: usages, attributes: attributes, label: "a")
        let _: TLSIdentity = try TLSIdentity.createIdentity(
            for: .serverAuth,
            attributes: attributes,
            expiration: Date(),
            issuer: issuer,
            label: "a"
        )
    }
}
#endif
