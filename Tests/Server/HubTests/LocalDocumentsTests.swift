#if Replication
import Dispatch
import DocumentStore
import Foundation
import Replication
import TestSupport
import TestTraits
import Testing

@testable import Hub
@testable import WebServer

@Suite("Local documents and checkpoints, and the removal of their user", .ownThreads)
struct LocalDocumentsTests {
    @Test("access is checked in the transaction that stores or deletes a local document")
    func checks() async throws {
        let hub = try StoppedHub()
        let file = hub.keyspace.database.file
        let checks = Recorder<Bool>()
        let documents = LocalDocuments(keyspace: hub.keyspace) {
            checks.append(file.isInTransaction)
            return .guest
        }
        let body = WebBody(maximumBytes: 100, budget: BodyBudget(bytes: 100))
        _ = body.append(Array("{}".utf8))
        body.finish()
        #expect(try await documents.put("a", WebRequest(method: "PUT", target: "/db/_local/a", body: body)).status == 201)
        let empty = WebBody(maximumBytes: 0, budget: BodyBudget(bytes: 0))
        let deletion = try WebRequest(method: "DELETE", target: "/db/_local/a?rev=1-cc", body: empty)
        #expect(try documents.delete("a", deletion).status == 200)
        #expect(checks.all == [true, true])
        hub.databases.close()
    }

    @Test(
        "a local document or a checkpoint that is stored while its user is being removed is removed, too, and those of others stay",
        arguments: ["local:anna:_default._default:a", "sync:anna:cp-1"]
    )
    func storedLate(key: String) throws {
        let hub = try StoppedHub()
        let first = hub.keyspace.database
        let second = try HubDatabase(name: "second", path: hub.directory.url.path + "/second.cblite2", creates: true)
        let users = HubUsers(hub.databases.own, of: [first, second], iterations: 10)
        #expect(try users.add("anna", password: "secret", channels: ["a"]))
        let others = ["local:anna-b:_default._default:a", "sync:anna-b:cp-1", "sync::cp-1"]
        for key in [key] + others { _ = try first.replica.setPeerCheckpoint(key, expecting: "", body: Array("{}".utf8)) }
        let removals = Recorder<Bool>()
        // The removal cannot go on in the second database, and has not been committed yet.
        try second.file.transaction { _ in
            DispatchQueue(label: "test.removal").async { removals.append((try? users.remove("anna")) ?? false) }
            while removals.all.isEmpty, try first.replica.peerCheckpoint(key) != nil {}
            #expect(try users.user("anna") != nil)
            _ = try first.replica.setPeerCheckpoint(key, expecting: "", body: Array("{}".utf8))
        }
        #expect(removals.wait(forCount: 1) == [true])
        #expect(try first.replica.peerCheckpoint(key) == nil)
        for key in others { #expect(try first.replica.peerCheckpoint(key) != nil, "\(key)") }
        second.close()
        hub.databases.close()
    }
}
#endif
