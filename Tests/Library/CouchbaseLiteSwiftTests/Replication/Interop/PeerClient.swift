#if Replication
import Foundation
import PeerSupport
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The kind of server that the independent server imitates, and the protocol.
struct PeerKind: Sendable, CustomTestStringConvertible {
    let mode: IndependentPeer.Mode
    let protocolNumber: String

    static let all = IndependentPeer.Mode.allCases.flatMap { mode in
        ["3", "2"].map { PeerKind(mode: mode, protocolNumber: $0) }
    }

    var testDescription: String { "\(mode.rawValue), protocol \(protocolNumber)" }

    func serve(_ arguments: [String] = []) throws -> IndependentPeer.Server {
        try IndependentPeer.serve(mode, ["--protocol", protocolNumber] + arguments)
    }
}

/// A database that replicates with the independent server.
struct PeerClient {
    let folder: DatabaseFolder
    let database: Database
    let url: String

    /// - Parameter usesVersions: Whether the database has version vectors.
    init(_ server: IndependentPeer.Server, database name: String = "db", usesVersions: Bool = false) throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        if usesVersions { try database.upgradeToVersionVectors() }
        url = server.url(name)
    }

    var collection: CouchbaseLiteSwift.Collection {
        get throws { try database.defaultCollection() }
    }

    /// A replicator of the default collection with short delays between attempts.
    func replicator(
        _ type: ReplicatorType = .pushAndPull,
        continuous: Bool = false,
        collection: CollectionConfiguration = CollectionConfiguration(),
        _ configure: (ReplicatorConfiguration) -> Void = { _ in }
    ) throws -> Replicator {
        let config = ReplicatorConfiguration(target: URLEndpoint(url: try #require(URL(string: url))))
        config.addCollection(try self.collection, config: collection)
        config.replicatorType = type
        config.continuous = continuous
        configure(config)
        return Replicator(config: config, clock: AcceleratedClock())
    }

    @discardableResult
    func run(
        _ type: ReplicatorType = .pushAndPull,
        collection: CollectionConfiguration = CollectionConfiguration(),
        _ configure: (ReplicatorConfiguration) -> Void = { _ in }
    ) async throws -> [String] {
        try await replicator(type, collection: collection, configure).runToEnd()
    }

    func problems() throws -> [String] { try folder.problems() }
}
#endif
