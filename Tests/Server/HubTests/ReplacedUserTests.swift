#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import TestSupport
import TestTraits
import Testing

@Suite("Users of a hub that get another password or are replaced", .ownThreads)
struct ReplacedUserTests {
    enum Change: CaseIterable {
        case password, replacement

        func make(_ users: HubUsers) throws {
            switch self {
            case .password: #expect(try users.change("anna", password: "other"))
            case .replacement:
                #expect(try users.remove("anna"))
                #expect(try users.add("anna", password: "secret", channels: ["a"]))
            }
        }
    }

    private func prepare(_ hub: RunningHub) throws {
        #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
        #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
    }

    @Test("feeds of a user end when the password changes, or another user gets the name", arguments: Change.allCases)
    func feeds(_ change: Change) async throws {
        try await withHub { hub in
            try prepare(hub)
            let credentials = Data("anna:secret".utf8).base64EncodedString()
            let continuous = try RawConnection(port: hub.port)
            continuous.send(
                lines: """
                    GET /db/_changes?feed=continuous HTTP/1.1
                    Host: localhost
                    Authorization: Basic \(credentials)
                    Connection: close


                    """
            )
            #expect(continuous.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let socket = try FeedClient(port: hub.port, "/db/_changes?feed=websocket", user: "anna")
            socket.send("{}")
            #expect(socket.next() == .changes(["_user/anna"], hasDocuments: false))
            #expect(socket.next() == .changes([], hasDocuments: false))
            try change.make(hub.hub.users)
            #expect(try await hub.send("PUT", "/db/new", #"{"channels":["a"]}"#, user: "root").status == 201)
            #expect(!continuous.readAll().contains("new"))
            #expect(socket.next() == .close(code: 1008, reason: "Login required"))
        }
    }

    @Test("sync of a user ends when the password changes, or another user gets the name, also of a client that only pushes")
    func sync() async throws {
        for change in Change.allCases {
            try await withHub { hub in
                try prepare(hub)
                let clients = try [ReplicatorType.pull, .push].map { type in
                    try SyncingClient(hub, user: "anna") { $0.replicatorType = type }
                }
                for client in clients { await client.start() }
                try change.make(hub.hub.users)
                for client in clients {
                    #expect((await client.waitForEnd() as NSError?)?.code == CBLError.webSocketCloseUserPermanent, "\(change)")
                }
            }
        }
    }

    @Test("the local documents of a removed user are not those of another user of that name", arguments: [false, true])
    func localDocuments(isOtherProcess: Bool) async throws {
        try await withHub { hub in
            try prepare(hub)
            for path in ["/db/_local/a", "/db.travel.hotels/_local/b", "/other/_local/c"] {
                for user in ["anna", "root"] { #expect(try await hub.send("PUT", path, "{}", user: user).status == 201) }
            }
            let users = try isOtherProcess ? HubUsers(directory: hub.directory.url.path) : hub.hub.users
            #expect(try users.remove("anna"))
            #expect(try !users.remove("anna"))
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            for path in ["/db/_local/a", "/db.travel.hotels/_local/b", "/other/_local/c"] {
                #expect(try await hub.send("GET", path, user: "anna").status == 404)
                #expect(try await hub.send("GET", path, user: "root").status == 200)
            }
        }
    }

    @Test("a user is told nothing about the channels of a removed user of that name, and receives all documents again")
    func history() async throws {
        try await withHub { hub in
            try prepare(hub)
            #expect(try hub.hub.users.change("anna", channels: ["a", "b"]))
            for channel in ["a", "b"] {
                #expect(try await hub.send("PUT", "/db/in-\(channel)", #"{"channels":["\#(channel)"]}"#, user: "root").status == 201)
            }
            let last = try await hub.send("GET", "/db/_changes", user: "anna").object["last_seq"] as? String ?? ""
            #expect(last == "2")
            #expect(try hub.hub.users.remove("anna"))
            #expect(try hub.hub.users.add("anna", password: "secret", channels: ["a"]))
            for since in ["0", last] {
                let changes = try await hub.send("GET", "/db/_changes?since=\(since)&revocations=true", user: "anna")
                #expect(changes.text.contains("in-a"), "\(since)")
                #expect(!changes.text.contains("in-b"), "\(since)")
            }
        }
    }
}
#endif
