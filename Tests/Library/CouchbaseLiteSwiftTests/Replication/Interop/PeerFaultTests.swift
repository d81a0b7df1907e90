#if Replication
import Foundation
import PeerSupport
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replication with a faulty independent server", .urgentOnOwnThreads)
struct PeerFaultTests {
    /// A fault from which a client must recover, or which it must report.
    struct Fault: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        /// The error that stops a replicator; nil if it recovers.
        var code: Int?

        var testDescription: String { arguments.joined(separator: " ") }

        /// Errors after which the replicator retries.
        static let passing = [
            Fault(arguments: ["--drop-after", "15000", "--fault-count", "2"]),
            Fault(arguments: ["--drop-after", "1"]),
            Fault(arguments: ["--close-code", "4001", "--after-messages", "5"]),
            Fault(arguments: ["--http-status", "503", "--fault-count", "3"]),
            Fault(arguments: ["--http-status", "429"]),
            Fault(arguments: ["--http-status", "500"]),
            Fault(arguments: ["--delay", "20", "--fault-count", "0"]),
        ]

        /// Errors after which the replicator stops.
        static let lasting = [
            Fault(arguments: ["--close-code", "1000", "--after-messages", "4"], code: CBLError.webSocketGoingAway),
            Fault(arguments: ["--close-code", "1001", "--after-messages", "4"], code: CBLError.webSocketGoingAway),
            Fault(arguments: ["--close-code", "1008", "--after-messages", "3"], code: CBLError.webSocketPolicyError),
            Fault(arguments: ["--close-code", "4002", "--after-messages", "6"], code: CBLError.webSocketCloseUserPermanent),
            Fault(arguments: ["--http-status", "404"], code: CBLError.httpNotFound),
            Fault(arguments: ["--bad-checksum-at", "4"], code: CBLError.webSocketProtocolError),
        ]

        func serve(_ mode: IndependentPeer.Mode) throws -> IndependentPeer.Server {
            let count = arguments.contains("--fault-count") ? [] : ["--fault-count", "1"]
            return try IndependentPeer.serve(mode, arguments + count)
        }
    }

    private func setUp(_ fault: Fault, _ mode: IndependentPeer.Mode) async throws -> (IndependentPeer.Server, PeerClient) {
        let server = try fault.serve(mode)
        let client = try PeerClient(server)
        for number in 0..<120 {
            try client.database.save("ours-\(number)", #"{"n":\#(number),"t":"\#(UUID())"}"#)
        }
        for number in 0..<12 {
            try await server.put(#"{"n":\#(number),"t":"\#(UUID())"}"#, "theirs-\(number)", in: "db")
        }
        try client.database.saveDocument(
            MutableDocument(id: "pic").setBlob(
                Blob(contentType: "image/png", data: Data((0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 5) })),
                forKey: "b"
            )
        )
        return (server, client)
    }

    private func expectSame(_ server: IndependentPeer.Server, _ client: PeerClient) async throws {
        let stored = try await server.documents(of: "db").mapValues(\.json)
        #expect(try client.database.contents() == stored)
        #expect(stored.count == 133)
        #expect(try await client.run() == [])
    }

    @Test("a replicator recovers from transient faults of the server", arguments: Fault.passing, IndependentPeer.Mode.allCases)
    func passing(fault: Fault, mode: IndependentPeer.Mode) async throws {
        let (server, client) = try await setUp(fault, mode)
        try await client.run()
        try await expectSame(server, client)
    }

    @Test(
        "a replicator ends with the error of a permanent fault, and completes the transfer when it is started again",
        arguments: Fault.lasting,
        IndependentPeer.Mode.allCases
    )
    func lasting(fault: Fault, mode: IndependentPeer.Mode) async throws {
        let (server, client) = try await setUp(fault, mode)
        let replicator = try client.replicator()
        #expect(await thrown { try await replicator.runToEnd() }?.code == fault.code)
        try await replicator.runToEnd()
        try await expectSame(server, client)
        #expect(try client.problems() == [])
    }

    @Test("a continuous replicator recovers from transient faults of the server", arguments: Fault.passing.dropLast())
    func continuous(fault: Fault) async throws {
        let (server, client) = try await setUp(fault, .syncGateway)
        let replicator = try client.replicator(continuous: true)
        replicator.start()
        let statuses = replicator.statusChanges()
        for await status in statuses where status.activity == .idle {
            if try await server.documents(of: "db").count == 133, try client.database.contents().count == 133 {
                break
            }
        }
        replicator.stop()
        await replicator.wait(for: .stopped)
        try await expectSame(server, client)
    }

    @Test(
        "a replicator whose server never answers can be stopped, and completes the transfer on the next start",
        arguments: IndependentPeer.Mode.allCases
    )
    func hanging(mode: IndependentPeer.Mode) async throws {
        let (server, client) = try await setUp(Fault(arguments: ["--hang"]), mode)
        let replicator = try client.replicator()
        replicator.start()
        await replicator.wait(for: .busy)
        replicator.stop()
        await replicator.wait(for: .stopped)
        try await replicator.runToEnd()
        try await expectSame(server, client)
    }
}
#endif
