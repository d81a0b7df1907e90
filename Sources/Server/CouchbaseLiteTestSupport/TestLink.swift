#if Replication
public import CouchbaseLiteSwift
import DocumentStore
import Foundation
import Synchronization

/// A connection between two databases for tests: without a network, with the delays and interruptions that a test chooses.
///
/// ```swift
/// let link = TestLink(phone, tablet)
/// try await link.sync()
/// try link.expectSynced()
///
/// link.isPartitioned = true
/// await #expect(throws: (any Error).self) { try await link.sync() }
/// ```
///
/// The first database has the replicators; the second one serves as a server does. Messages go through the whole protocol, so filters,
/// conflict resolvers and change listeners work as with a server. Thread-safe.
public final class TestLink: Sendable {
    private struct State {
        var isPartitioned = false
        var latency = Duration.zero
        var lossRate = 0.0
        var random: SeededRandom
        var connections: [ObjectIdentifier: LinkConnection] = [:]
    }

    private let state: Mutex<State>
    private let collections: [Collection]
    private let served: [Collection]
    private let listener: MessageEndpointListener
    let clock: any SteadyClock
    private let identifier = UUID().uuidString

    /// Connects collections of one database with those of the same names of another one.
    ///
    /// - Parameters:
    ///   - collections: The collections of the database that replicates.
    ///   - served: The collections of the database that serves.
    ///   - clock: The clock for delays and retries; `nil`, the default, for real time.
    ///   - seed: The start of the random numbers for ``lossRate``. The same seed gives the same numbers.
    public init(_ collections: [Collection], _ served: [Collection], clock: TestClock? = nil, seed: UInt64 = 1) {
        self.collections = collections
        self.served = served
        self.clock = clock ?? SystemSteadyClock()
        listener = MessageEndpointListener(config: .init(collections: served, protocolType: .messageStream))
        state = Mutex(State(random: SeededRandom(state: seed)))
    }

    /// Connects all collections that both databases have.
    ///
    /// - Throws: The errors of `Database.collections(scope:)`.
    public convenience init(_ database: Database, _ other: Database, clock: TestClock? = nil, seed: UInt64 = 1) throws {
        let mine = try database.allCollections()
        let theirs = try other.allCollections()
        let shared = mine.filter { collection in theirs.contains { $0.fullName == collection.fullName } }
        self.init(shared, theirs.filter { theirs in shared.contains { $0.fullName == theirs.fullName } }, clock: clock, seed: seed)
    }

    // MARK: Conditions

    /// The time that each message needs. Default: zero.
    public var latency: Duration {
        get { state.withLock { $0.latency } }
        set { state.withLock { $0.latency = newValue } }
    }

    /// The probability, from 0 to 1, that sending a message breaks the connection. Default: 0. Replicators connect again as after any
    /// interruption of the network.
    public var lossRate: Double {
        get { state.withLock { $0.lossRate } }
        set { state.withLock { $0.lossRate = newValue } }
    }

    /// Whether the two sides cannot reach each other. Default: `false`. Setting the property breaks the connections, and new ones fail until
    /// it is reset; a continuous replicator connects again when its next attempt is due, or at once after `retry()`.
    public var isPartitioned: Bool {
        get { state.withLock { $0.isPartitioned } }
        set {
            state.withLock { $0.isPartitioned = newValue }
            if newValue { disconnect() }
        }
    }

    /// Breaks the connections, as if the network was lost for a moment.
    public func disconnect() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.fail() }
    }

    // MARK: Replicating

    /// Returns a replicator over this link, which has not been started.
    ///
    /// - Parameters:
    ///   - type: The direction. Default: both.
    ///   - continuous: Whether it keeps running. Default: `false`.
    ///   - collection: The filters and resolvers of all collections; `nil`, the default, for none.
    ///   - configure: Changes the configuration before the replicator is created.
    public func replicator(
        type: ReplicatorType = .pushAndPull,
        continuous: Bool = false,
        collection: CollectionConfiguration? = nil,
        configure: (inout ReplicatorConfiguration) -> Void = { _ in }
    ) -> Replicator {
        let target = MessageEndpoint(uid: identifier, target: nil, protocolType: .messageStream, delegate: LinkDelegate(link: self))
        let configurations = collections.map { collection?.applied(to: $0) ?? CollectionConfiguration(collection: $0) }
        var config = ReplicatorConfiguration(collections: configurations, target: target)
        config.replicatorType = type
        config.continuous = continuous
        configure(&config)
        return Replicator(config: config, clock: clock)
    }

    /// Replicates, and waits for the end. If the resolution of a conflict has left a revision to be pushed, it replicates again, at most ten
    /// times.
    ///
    /// - Parameters:
    ///   - type: The direction. Default: both.
    ///   - attempts: How often it is tried if the connection breaks. Default: 1.
    ///   - collection: The filters and resolvers of all collections; `nil`, the default, for none.
    /// - Returns: The last status.
    /// - Throws: The error with which the replicator has stopped the last time; `CancellationError` if the task is cancelled.
    @discardableResult
    public func sync(
        type: ReplicatorType = .pushAndPull,
        attempts: Int = 1,
        collection: CollectionConfiguration? = nil
    ) async throws -> Replicator.Status {
        var (attempt, resolutions) = (1, 0)
        while true {
            let replicator = self.replicator(type: type, collection: collection) { $0.maxAttempts = 1 }
            let last = try await Self.run(replicator)
            if let error = last.error {
                guard attempt < attempts else { throw error }
                attempt += 1
            } else {
                guard type != .pull, resolutions < 10, try hasPendingDocuments(replicator) else { return last }
                resolutions += 1
            }
        }
    }

    /// Runs a replicator, and returns its last status.
    private static func run(_ replicator: Replicator) async throws -> Replicator.Status {
        let statuses = replicator.statusChanges()
        replicator.start()
        var last = replicator.status
        for await status in statuses {
            last = status
            if status.activity == .stopped { break }
        }
        if Task.isCancelled {
            replicator.stop()
            throw CancellationError()
        }
        return last
    }

    private func hasPendingDocuments(_ replicator: Replicator) throws -> Bool {
        try collections.contains { try !replicator.pendingDocumentIds(collection: $0).isEmpty }
    }

    /// Checks that the collections of both sides have the same documents in the same revisions.
    ///
    /// - Throws: ``SyncDifference`` with the first differences; the errors of queries.
    public func expectSynced() throws {
        for collection in collections {
            guard let other = served.first(where: { $0.fullName == collection.fullName }) else { continue }
            try SyncDifference.check(collection, other)
        }
    }

    // MARK: Connections

    /// Opens a connection. Returns `false` if the sides cannot reach each other.
    func open(_ connection: LinkConnection) -> Bool {
        let isOpen = state.withLock { state in
            guard !state.isPartitioned else { return false }
            state.connections[ObjectIdentifier(connection)] = connection
            return true
        }
        if isOpen { listener.accept(connection: connection.passive) }
        return isOpen
    }

    func didEnd(_ connection: LinkConnection) {
        state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
    }

    /// Returns whether the next message breaks its connection.
    func losesMessage() -> Bool {
        state.withLock { $0.lossRate > 0 && $0.random.nextUnit() < $0.lossRate }
    }
}

/// Random numbers by the method of Vigna's SplitMix64.
private struct SeededRandom {
    var state: UInt64

    mutating func nextUnit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
    }
}

private struct LinkDelegate: MessageEndpointDelegate {
    let link: TestLink

    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection { LinkConnection(link).active }
}

extension Database {
    fileprivate func allCollections() throws -> [Collection] {
        try scopes().flatMap { try collections(scope: $0.name) }
    }
}
#endif
