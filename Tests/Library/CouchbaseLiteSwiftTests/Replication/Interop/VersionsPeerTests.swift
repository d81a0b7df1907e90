#if Replication
import Foundation
import PeerSupport
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

@Suite("Replicators of databases with version vectors and an independent server", .ownThreads)
struct VersionsPeerTests {
    private static let modes = IndependentPeer.Mode.allCases

    private func serve(_ mode: IndependentPeer.Mode) throws -> IndependentPeer.Server {
        try IndependentPeer.serve(mode, ["--protocol", "4"])
    }

    @Test("documents, deletions and blobs are replicated in both directions, each only once, by the rules of protocol 4", arguments: modes)
    func bothWays(mode: IndependentPeer.Mode) async throws {
        let server = try serve(mode)
        let (first, second) = (try PeerClient(server, usesVersions: true), try PeerClient(server, usesVersions: true))
        for number in 0..<25 { try first.database.save("doc-\(number)", #"{"n":\#(number),"t":"é☃"}"#) }
        let content = Data((0..<90_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        let blob = Blob(contentType: "image/png", data: content)
        try first.database.saveDocument(MutableDocument(id: "pic").setValue(["p": blob], forKey: "all"))
        try await server.put(#"{"from":"server","list":[1,{"a":null}]}"#, "theirs", in: "db")
        #expect(try await first.run(.push).count == 26)
        #expect(try await second.run(.pull).count == 27)
        let pulled = try #require(second.database.document(withID: "pic")?.dictionary(forKey: "all"))
        #expect(pulled.blob(forKey: "p")?.content == content)
        #expect(try await first.run(.pull) == ["pull theirs"])
        #expect(try first.database.contents() == second.database.contents())
        try second.database.delete("doc-3")
        try second.database.save("doc-4", #"{"n":44}"#)
        #expect(try await second.run() == ["push doc-3", "push doc-4"])
        #expect(try await first.run() == ["pull doc-3", "pull doc-4"])
        try first.database.save("doc-3", #"{"again":true}"#)
        #expect(try await first.run() == ["push doc-3"])
        #expect(try await second.run() == ["pull doc-3"])
        for client in [first, second] {
            #expect(try await client.run() == [])
            #expect(try client.problems() == [])
        }
        #expect(try await server.violations() == [])
    }

    /// Resolves a conflict as the ID of the document says.
    private struct Resolver: ConflictResolverProtocol {
        func resolve(conflict: Conflict) -> Document? {
            switch conflict.documentID {
            case "local": conflict.localDocument
            case "remote": conflict.remoteDocument
            default: conflict.localDocument?.toMutable().setInt(3, forKey: "n")
            }
        }
    }

    @Test("conflicts are resolved, and the results have vectors that the server accepts", arguments: modes)
    func conflicts(mode: IndependentPeer.Mode) async throws {
        let server = try serve(mode)
        let (first, second) = (try PeerClient(server, usesVersions: true), try PeerClient(server, usesVersions: true))
        for id in ["local", "remote", "merged"] { try first.database.save(id, #"{"n":0}"#) }
        _ = try await first.run()
        _ = try await second.run()
        for id in ["local", "remote", "merged"] {
            try first.database.save(id, #"{"n":1}"#)
            try second.database.save(id, #"{"n":2}"#)
        }
        _ = try await first.run()
        var resolving = CollectionConfiguration()
        resolving.conflictResolver = Resolver()
        _ = try await second.run(collection: resolving)
        _ = try await second.run()
        _ = try await first.run()
        #expect(try first.database.contents() == second.database.contents())
        let stored = try await server.documents(of: "db").mapValues(\.json)
        #expect(stored == ["local": #"{"n":2}"#, "remote": #"{"n":1}"#, "merged": #"{"n":3}"#])
        for client in [first, second] { #expect(try await client.run() == []) }
        #expect(try await server.violations() == [])
    }

    @Test("documents that were in trees are pushed with the IDs of their trees", arguments: modes)
    func upgraded(mode: IndependentPeer.Mode) async throws {
        let server = try serve(mode)
        let (first, second) = (try PeerClient(server), try PeerClient(server, usesVersions: true))
        for id in ["untouched", "changed"] {
            try first.database.save(id, #"{"n":0}"#)
            try first.database.save(id, #"{"n":1}"#)
        }
        try first.database.upgradeToVersionVectors()
        #expect(try await first.run() == ["push changed", "push untouched"])
        try first.database.save("changed", #"{"n":2}"#)
        #expect(try await first.run() == ["push changed"])
        #expect(try await second.run() == ["pull changed", "pull untouched"])
        for id in ["untouched", "changed"] { try second.database.save(id, #"{"n":3}"#) }
        #expect(try await second.run() == ["push changed", "push untouched"])
        #expect(try await first.run() == ["pull changed", "pull untouched"])
        #expect(try first.database.contents() == second.database.contents())
        #expect(try await server.violations() == [])
    }
}
#endif
