#if Replication
import BLIP
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing

@testable import Hub

/// Tries all endpoints as a user of the channel `mine`, while there are documents in the channel `other`.
@Suite("Rights of a user at every endpoint of a hub", .ownThreads)
struct EndpointAccessTests {
    /// What must not be revealed.
    private struct Secrets {
        var revision = ""
        var old = ""
        var digest = ""

        /// The texts that must not be in a response, unless they are in the request.
        var texts: [String] {
            let parts = [revision, old].map { String($0.drop { $0 != "-" }.dropFirst()) }
            let file = Data("SECRET-FILE".utf8).base64EncodedString()
            return ["SECRET-", file, digest, "hidden", "gone", "unlisted", "other", "secret.txt"] + parts
        }
    }

    /// The digest of content that the hub does not have.
    private static let unknownDigest = "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func prepare(_ hub: RunningHub) async throws -> Secrets {
        #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
        #expect(try hub.hub.users.add("anna", password: "secret", channels: ["mine"]))
        var secrets = Secrets()
        func put(_ path: String, _ body: String) async throws -> RunningHub.Answer {
            let answer = try await hub.send("PUT", path, body, user: "root")
            #expect(answer.status == 201, "\(path) \(answer.text)")
            return answer
        }
        func file(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
        let hidden = #"{"secret.txt":{"content_type":"text/plain","data":"\#(file("SECRET-FILE"))"}}"#
        let visible = #"{"channels":["mine"],"text":"OPEN-TEXT","_attachments":{"f":{"data":"\#(file("OPEN-FILE"))"}}}"#
        _ = try await put("/db/visible", visible)
        for keyspace in ["db", "db.travel.hotels"] {
            let body = #"{"channels":["other"],"text":"SECRET-OLD","_attachments":\#(hidden)}"#
            secrets.old = try await put("/\(keyspace)/hidden", body).revision
            let next = #"{"channels":["other"],"text":"SECRET-TEXT","_attachments":{"secret.txt":{"stub":true}}}"#
            secrets.revision = try await put("/\(keyspace)/hidden?rev=\(secrets.old)", next).revision
        }
        let stored = try await hub.send("GET", "/db/hidden", user: "root").object["_attachments"] as? [String: [String: Any]]
        secrets.digest = stored?["secret.txt"]?["digest"] as? String ?? ""
        #expect(secrets.digest.hasPrefix("sha1-"))
        _ = try await put("/db/unlisted", #"{"text":"SECRET-TEXT"}"#)
        let gone = try await put("/db/gone", #"{"channels":"other"}"#).revision
        #expect(try await hub.send("DELETE", "/db/gone?rev=\(gone)", user: "root").status == 200)
        _ = try await put("/db/_local/hidden", #"{"text":"SECRET-LOCAL"}"#)
        #expect(try await hub.send("POST", "/db/_session", #"{"name":"root","password":"secret"}"#).status == 200)
        return secrets
    }

    private struct Exchange {
        let request: String
        let answer: RunningHub.Answer

        var response: String { "\(answer.headers) \(answer.text)" }
    }

    private func send(_ probe: EndpointProbe, id: String, digest: String, _ secrets: Secrets, to hub: RunningHub) async throws -> Exchange {
        func filled(_ text: String, isPath: Bool = false) -> String {
            let digest = isPath ? digest.replacing("/", with: "%2F").replacing("+", with: "%2B") : digest
            return [("{id}", id), ("{rev}", secrets.revision), ("{old}", secrets.old), ("{digest}", digest)]
                .reduce(text) { $0.replacing($1.0, with: $1.1) }
        }
        let headers = probe.headers.mapValues { filled($0) }
        let (path, body) = (filled(probe.path, isPath: true), probe.body.map { filled($0) })
        let answer = try await hub.send(probe.method, path, body, user: "anna", headers: headers)
        return Exchange(request: "\(probe.method) \(path) \(headers) \(body ?? "") \(digest)", answer: answer)
    }

    /// Returns a response without what differs with the request or from time to time.
    private func normalized(_ exchange: Exchange, id: String, digest: String) -> String {
        var text = exchange.answer.text.replacing(id, with: "ID").replacing(digest, with: "DIGEST")
        if let boundary = exchange.answer.headers["content-type"]?.split(separator: "boundary=").last {
            text = text.replacing(boundary.filter { $0 != "\"" }, with: "")
        }
        return text
    }

    @Test("the probes are for the paths of endpoints")
    func probes() { #expect(Set(EndpointProbes.all.keys) == Set(HubEndpoints.all.map(\.path))) }

    @Test("no endpoint reveals documents in channels of others", arguments: HubEndpoints.all.map(\.path))
    func routes(path: String) async throws {
        let route = try #require(HubEndpoints.all.first { $0.path == path })
        let probes = try #require(EndpointProbes.all[path], "\(path) needs probes")
        #expect(Set(probes.map(\.method)).isSuperset(of: route.operations.map(\.method)), "each method of \(path) needs a probe")
        try await withHub { hub in
            let secrets = try await prepare(hub)
            for (number, probe) in probes.enumerated() {
                let hidden = try await send(probe, id: "hidden", digest: secrets.digest, secrets, to: hub)
                let id = "absent-\(number)"
                let absent = try await send(probe, id: id, digest: Self.unknownDigest, secrets, to: hub)
                #expect(hidden.answer.status == probe.status, "\(hidden.request): \(hidden.answer.text)")
                #expect(absent.answer.status == probe.absent ?? probe.status, "\(absent.request): \(absent.answer.text)")
                if probe.absent == nil, !probe.showsExistence, !path.hasSuffix("metrics") {
                    let (first, second) = (
                        normalized(hidden, id: "hidden", digest: secrets.digest), normalized(absent, id: id, digest: Self.unknownDigest)
                    )
                    #expect(first == second, "\(hidden.request)")
                }
                if let text = probe.contains { #expect(hidden.answer.text.contains(text), "\(hidden.request): \(hidden.answer.text)") }
                for secret in secrets.texts where path != "/_openapi" && !hidden.request.contains(secret) {
                    #expect(!hidden.response.contains(secret), "\(hidden.request) reveals \(secret): \(hidden.response)")
                }
            }
            // Nothing was changed.
            let stored = try await hub.send("GET", "/db/hidden", user: "root")
            #expect(stored.object["_rev"] as? String == secrets.revision)
            #expect(try hub.hub.users.names() == ["anna", "root"])
            #expect(try await hub.send("GET", "/db/_local/hidden", user: "root").text.contains("SECRET-LOCAL"))
        }
    }

    @Test("a replicator does not receive documents in channels of others, whichever channels and documents it asks for")
    func replicator() async throws {
        try await withHub { hub in
            _ = try await prepare(hub)
            for (channels, ids) in [
                (nil, nil), (["other"], nil), (["mine", "other", "*"], nil), (nil, ["hidden", "unlisted", "gone", "visible"]),
                (["other"], ["hidden", "visible"]),
            ] as [([String]?, [String]?)] {
                let client = try SyncingClient(hub, user: "anna", names: ["hotels"]) { config in
                    var wanted = CollectionConfiguration()
                    wanted.channels = channels
                    wanted.documentIDs = ids
                    config.addCollections(config.collections, config: wanted)
                }
                #expect(try await client.sync() == nil)
                let isWanted = channels?.contains("mine") ?? true
                #expect(try client.ids() == (isWanted ? ["visible"] : []), "\(channels ?? []) \(ids ?? [])")
                #expect(try client.ids(1).isEmpty)
                #expect(client.events.all == (isWanted ? ["visible"] : []))
            }
        }
    }

    @Test("no message of the replication protocol reveals documents in channels of others")
    func messages() async throws {
        try await withHub { hub in
            let secrets = try await prepare(hub)
            let root = try await MessageClient(port: hub.port, user: "root")
            #expect(try await root.ask("setCheckpoint", [("client", "cp-hidden")], #"{"text":"SECRET-CHECKPOINT"}"#).error == nil)
            let rows = #"[["ID","\#(secrets.revision)"],["ID","3-00","\#(secrets.revision)"],["ID","3-00","1-00"],["ID","1-00"]]"#
            let digest = (name: "digest", value: secrets.digest)
            let revision: [(name: String, value: String)] = [("id", "ID"), ("rev", "3-00"), ("history", secrets.revision)]
            let messages: [(String, [(name: String, value: String)], String)] = [
                ("getCheckpoint", [("client", "cp-ID")], ""), ("getAttachment", [digest, ("docID", "ID")], ""),
                ("getAttachment", [digest, ("docID", "visible")], ""), ("getAttachment", [digest], ""),
                ("proveAttachment", [digest, ("docID", "ID")], "nonce"), ("proveAttachment", [digest, ("docID", "visible")], "nonce"),
                ("proposeChanges", [("conflictIncludesRev", "true")], rows), ("proposeChanges", [], rows),
                ("changes", [], #"[[1,"ID","\#(secrets.revision)"]]"#),
                ("rev", revision, #"{"channels":["other"]}"#),
                ("rev", revision + [("deltaSrc", secrets.revision)], #"{"channels":["mine"]}"#),
                ("rev", revision + [("deleted", "1")], "{}"),
                ("getCollections", [], #"{"checkpoint_ids":["x"],"collections":["none.none"]}"#),
                ("subChanges", [("filter", "sync_gateway/bychannel"), ("channels", "other")], ""),
            ]
            for (profile, properties, body) in messages {
                var replies: [String] = []
                for id in ["hidden", "absent"] {
                    // A client for each message, because a refused one may end the connection's subscription.
                    let client = try await MessageClient(port: hub.port, user: "anna")
                    let given = properties.map { ($0.name, $0.value.replacing("ID", with: id)) }
                    let reply = try await client.ask(profile, given, body.replacing("ID", with: id))
                    let text = String(decoding: reply.body, as: UTF8.self)
                    replies.append("\(reply.properties) \(text) \(String(describing: reply.error))".replacing(id, with: "ID"))
                    let announced = client.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
                    let asked = "\(properties) \(body)"
                    for secret in secrets.texts where !asked.contains(secret) && secret != "hidden" {
                        #expect(!(text + announced).contains(secret), "\(profile) \(asked) reveals \(secret): \(text) \(announced)")
                    }
                }
                // A proposal for a hidden document is answered without comparing its revisions, and refused when it comes.
                #expect(replies[0] == replies[1] || profile == "proposeChanges", "\(profile) \(properties): \(replies)")
            }
            let stored = try await hub.send("GET", "/db/hidden", user: "root")
            #expect(stored.object["_rev"] as? String == secrets.revision)
        }
    }
}
#endif
