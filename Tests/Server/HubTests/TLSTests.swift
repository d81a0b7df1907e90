#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import TestTraits
import Testing

@Suite("TLS of a hub", .ownThreads)
struct TLSTests {
    @Test("a hub with TLS serves REST and sync to clients that trust its certificate, and refuses requests without TLS")
    func serving() async throws {
        try await withHub {
            $0.certificate = .temporary
            $0.adminPort = 0
        } _: { hub in
            #expect(hub.hub.urls.first == "https://localhost:\(hub.port)/db")
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            #expect(try await hub.send("PUT", "/db/x", #"{"channels":"a"}"#, user: "anna").status == 201)
            let large = #"{"channels":"a","text":"\#(String(repeating: "x", count: 100_000))"}"#
            #expect(try await hub.send("PUT", "/db/y", large, user: "anna").status == 201)
            #expect(try await hub.send("GET", "/db/y", user: "anna").text.count > 100_000)
            let login = try await hub.send("POST", "/db/_session", #"{"name":"anna","password":"secret"}"#)
            #expect(login.headers["set-cookie"]?.hasSuffix("; Secure") == true)
            let plain = try await hub.send("GET", "/db/x", user: "anna", scheme: "http")
            #expect(plain.status == 400 && plain.text.contains("HTTP request to an HTTPS server"))
            // The port for administration is on this machine only.
            let admin = try #require(hub.hub.adminURLs.first.flatMap { URL(string: $0) })
            #expect(admin.scheme == "http")
            #expect(try await hub.send("GET", "/db/x", port: admin.port, scheme: "http").status == 200)
        }
    }

    @Test("a replicator syncs with a hub whose certificate it has pinned, and with no other")
    func sync() async throws {
        try await withHub {
            $0.certificate = .temporary
        } _: { hub in
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            let certificate = try #require(hub.hub.certificate.flatMap { SecCertificate.read(der: $0) })
            let client = try SyncingClient(hub, user: "anna") { $0.pinnedServerCertificate = certificate }
            let document = MutableDocument(id: "x", data: ["channels": "a"])
            try client.collections[0].save(document: document)
            #expect(try await client.sync() == nil)
            #expect(try await hub.send("GET", "/db/x", user: "anna").status == 200)
            let stranger = try SyncingClient(hub, user: "anna") { $0.maxAttempts = 1 }
            #expect(try await stranger.sync() != nil)
            #expect(try stranger.ids() == [])
        }
    }
}
#endif
