#if Replication
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

/// Connects with a listener through pipes.
private final class PipeDelegate: MessageEndpointDelegate {
    let listener: MessageEndpointListener
    let pieceSize: Int
    let connections = Recorder<(PipedConnection, PipedConnection)>()

    init(_ listener: MessageEndpointListener, pieceSize: Int) {
        self.listener = listener
        self.pieceSize = pieceSize
    }

    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection {
        let pair = PipedConnection.pair(pieceSize: pieceSize)
        connections.append(pair)
        listener.accept(connection: pair.1)
        return pair.0
    }
}

/// Closes a database in the function that opens the connection, on the thread on which that is called.
private final class ClosingConnection: MessageEndpointConnection, Sendable {
    let closings = Recorder<ErrorCode?>()
    private let database: Database

    init(_ database: Database) {
        self.database = database
    }

    func open(connection: any ReplicatorConnection, completion: @escaping (Bool, MessagingError?) -> Void) {
        closings.append(thrown { try database.close() })
        completion(true, nil)
    }

    func send(message: Message, completion: @escaping (Bool, MessagingError?) -> Void) { completion(true, nil) }

    func close(error: (any Error)?, completion: @escaping () -> Void) { completion() }
}

private struct ClosingDelegate: MessageEndpointDelegate {
    let connection: ClosingConnection

    func createConnection(endpoint: MessageEndpoint) -> any MessageEndpointConnection { connection }
}

@Suite("Replication over a custom transport", .ownThreads)
struct MessageEndpointTests {
    let folder: DatabaseFolder
    let near: Database
    let far: Database

    init() throws {
        folder = try DatabaseFolder()
        near = try folder.open("near")
        far = try folder.open("far")
    }

    private func make(
        _ type: ProtocolType,
        pieceSize: Int = .max,
        continuous: Bool = false
    ) throws -> (Replicator, MessageEndpointListener, PipeDelegate) {
        let listener = MessageEndpointListener(
            config: MessageEndpointListenerConfiguration(collections: [try far.defaultCollection()], protocolType: type)
        )
        let delegate = PipeDelegate(listener, pieceSize: pieceSize)
        let endpoint = MessageEndpoint(uid: "far", target: nil, protocolType: type, delegate: delegate)
        let config = try ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: near.defaultCollection())],
            target: endpoint
        )
        config.continuous = continuous
        return (Replicator(config: config), listener, delegate)
    }

    @Test("an app can close the database in the functions of its connection, on both sides", arguments: [true, false])
    func closesWithin(isActive: Bool) throws {
        let database = isActive ? near : far
        let connection = ClosingConnection(database)
        let collections = [try database.defaultCollection()]
        if isActive {
            let delegate = ClosingDelegate(connection: connection)
            let endpoint = MessageEndpoint(uid: "far", target: nil, protocolType: .messageStream, delegate: delegate)
            let config = ReplicatorConfiguration(
                collections: CollectionConfiguration.fromCollections(collections),
                target: endpoint
            )
            Replicator(config: config).start()
        } else {
            let config = MessageEndpointListenerConfiguration(collections: collections, protocolType: .messageStream)
            MessageEndpointListener(config: config).accept(connection: connection)
        }
        #expect(connection.closings.wait(forCount: 1) == [nil])
        #expect(database.path == nil)
    }

    @Test(
        "documents and blobs are replicated in both directions over a custom transport",
        arguments: [(ProtocolType.messageStream, Int.max), (.byteStream, 100)]
    )
    func bothWays(_ type: ProtocolType, _ pieceSize: Int) async throws {
        let data = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for number in 0..<20 {
            try near.saveDocument(MutableDocument(id: "near\(number)").setInt(number, forKey: "n"))
            try far.saveDocument(MutableDocument(id: "far\(number)").setInt(number, forKey: "n"))
        }
        try near.saveDocument(MutableDocument(id: "blob").setBlob(Blob(contentType: "image/png", data: data), forKey: "b"))
        let (replicator, listener, delegate) = try make(type, pieceSize: pieceSize)
        let statuses = Recorder<Replicator.ActivityLevel>()
        listener.addChangeListener(withQueue: DispatchQueue(label: "test.message")) {
            statuses.append($0.status.activity)
        }
        #expect(try await replicator.runToEnd().count == 41)
        #expect(near.count == 41)
        #expect(far.count == 41)
        #expect(far.document(withID: "blob")?.blob(forKey: "b")?.content == data)
        #expect(try await replicator.runToEnd() == [])
        #expect(delegate.connections.all.count == 2)
        statuses.wait { $0.last == .stopped }
        #expect(statuses.all.first == .connecting)
        #expect(statuses.all.contains(.busy))
    }

    @Test("a message endpoint listener can close one connection or all of them")
    func closing() async throws {
        let (replicator, listener, delegate) = try make(.messageStream, continuous: true)
        replicator.start()
        await replicator.wait(for: .idle)
        let connection = try #require(delegate.connections.all.first).1
        listener.close(connection: connection)
        let stopped = await replicator.wait(for: .stopped)
        #expect((stopped.error as NSError?)?.code == CBLError.webSocketGoingAway)
        replicator.start()
        await replicator.wait(for: .idle)
        #expect(delegate.connections.all.count == 2)
        listener.closeAll()
        let again = await replicator.wait(for: .stopped)
        #expect((again.error as NSError?)?.code == CBLError.webSocketGoingAway)
    }

    @Test("a connection that is not open yet does not prevent closing the database", arguments: [true, false])
    func closingDatabase(isAtOnce: Bool) async throws {
        for round in 0..<50 {
            let database = try folder.open("served\(round)")
            let listener = MessageEndpointListener(
                config: MessageEndpointListenerConfiguration(collections: [try database.defaultCollection()], protocolType: .byteStream)
            )
            let connection = StuckConnection(opens: false)
            await withTaskGroup { group in
                // At the same time, or one after the other.
                group.addTask { listener.accept(connection: connection) }
                if !isAtOnce { await group.waitForAll() }
                group.addTask { #expect(throws: Never.self) { try database.close() } }
            }
            #expect(connection.closings.wait(forCount: 1).count == 1)
        }
    }

    @Test("a replicator goes offline after a recoverable transport error, and stops after an unrecoverable one", arguments: [true, false])
    func failure(isRecoverable: Bool) async throws {
        let (replicator, _, delegate) = try make(.messageStream, continuous: true)
        replicator.start()
        await replicator.wait(for: .idle)
        try #require(delegate.connections.all.first).0.fail(isRecoverable: isRecoverable)
        let ended = await replicator.wait(for: isRecoverable ? .offline : .stopped)
        #expect((ended.error as NSError?)?.code == (isRecoverable ? 14001 : 14002))
        replicator.stop()
        await replicator.wait(for: .stopped)
    }
}
#endif
