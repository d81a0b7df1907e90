#if Replication
import CouchbaseLiteSwift
import Foundation
import Hub
import TestSupport
import TestTraits
import Testing
import WebServer

@Suite("Limits of a hub", .ownThreads)
struct LimitTests {
    private let host = "Host: localhost\n"

    /// The memory that a hub may use, in bytes.
    static let maximumMemory: UInt64 = 300 << 20

    private func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
        let tool = ProcessRunner(executable: URL(fileURLWithPath: "/usr/bin/env"), leading: ["gzip"])
        return Array(try await tool.run(["-c"], input: Data(bytes)).standardOutput)
    }

    @Test("bodies and heads that are too large are refused, and other clients are served")
    func sizes() async throws {
        let bomb = try await gzip(Array(#"{"a":""#.utf8) + [UInt8](repeating: 0x61, count: 8 << 20) + Array(#""}"#.utf8))
        #expect(bomb.count < 20_000)
        try await withHub {
            $0.maximumDocumentSize = 50_000
            $0.maximumAttachmentSize = 50_000
        } _: { hub in
            let large = [UInt8](repeating: 0x61, count: 60_000)
            let chunk = "\(String(large.count, radix: 16))\n\(String(decoding: large, as: UTF8.self))\n"
            // A connection whose request was received completely would stay open.
            let host = host + "Connection: close\n"
            let fields = (0..<201).map { "X-\($0): 1\n" }.joined()
            for (head, body, status) in [
                ("PUT /db/a HTTP/1.1\n\(host)Content-Length: 60000\n\n", large, 413),
                ("PUT /db/a HTTP/1.1\n\(host)Content-Length: 60000\n\n", [], 413),
                ("PUT /db/a HTTP/1.1\n\(host)Content-Length: 99999999999999999999\n\n", [], 400),
                ("PUT /db/a HTTP/1.1\n\(host)Transfer-Encoding: chunked\n\n\(chunk)0\n\n", [], 413),
                ("PUT /db/a HTTP/1.1\n\(host)Transfer-Encoding: chunked\n\n\(chunk)", [], 413),
                ("PUT /db/a HTTP/1.1\n\(host)Content-Encoding: gzip\nContent-Length: \(bomb.count)\n\n", bomb, 413),
                ("POST /db/_bulk_docs HTTP/1.1\n\(host)Content-Encoding: gzip\nContent-Length: \(bomb.count)\n\n", bomb, 413),
                ("PUT /db/a/f HTTP/1.1\n\(host)Content-Length: 60000\n\n", large, 413),
                ("PUT /db/_local/a HTTP/1.1\n\(host)Content-Length: 2000000\n\n", [], 413),
                ("POST /db/_changes HTTP/1.1\n\(host)Content-Length: 2000000\n\n", [], 413),
                ("POST /db/_session HTTP/1.1\n\(host)Content-Length: 2000000\n\n", [], 413),
                ("GET /db/\(String(repeating: "x", count: 40_000)) HTTP/1.1\n\(host)\n", [], 431),
                ("GET /db/a HTTP/1.1\n\(host)X: \(String(repeating: "x", count: 40_000))\n\n", [], 431),
                ("GET /db/a HTTP/1.1\n\(host)\(fields)\n", [], 431),
            ] as [(String, [UInt8], Int)] {
                let client = try RawConnection(port: hub.port)
                client.send(lines: head)
                client.send(body)
                let answer = client.readAll()
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(head.prefix(80)): \(answer.prefix(200))")
                #expect(answer.contains(#"{"error":""#), "\(head.prefix(80))")
            }
            #expect(try await hub.send("PUT", "/db/a", #"{"n":1}"#).status == 201)
        }
    }

    @Test("requests whose head or body is not completed end with the time, and other clients are served meanwhile")
    func halfOpen() async throws {
        try await withHub {
            $0.web.headTimeout = 1
            $0.web.bodyTimeout = 1
        } _: { hub in
            let heads = try (0..<50).map { _ in try RawConnection(port: hub.port) }
            for client in heads { client.send(lines: "GET /db/a HTTP/1.1\nHost: local") }
            let bodies = try ["PUT /db/a", "POST /db/_bulk_docs", "PUT /db/a/f", "POST /db/_all_docs"].map { request in
                let client = try RawConnection(port: hub.port)
                client.send(lines: "\(request) HTTP/1.1\n\(host)Content-Length: 100\n\n{")
                return client
            }
            #expect(try await hub.send("PUT", "/db/b", "{}").status == 201)
            for client in heads { #expect(client.readAll().isEmpty) }
            for client in bodies { #expect(client.readAll().hasPrefix("HTTP/1.1 408 ")) }
            #expect(try await hub.send("GET", "/db/a").status == 404)
        }
    }

    @Test("unfinished bodies of one user, or of clients that have not logged in, keep nobody else from writing and logging in")
    func unfinished() async throws {
        try await withHub { hub in
            for name in ["anna", "ben"] { #expect(try hub.hub.users.add(name, password: "secret", channels: ["*"])) }
            let login = "Host: localhost\nAuthorization: Basic \(Data("anna:secret".utf8).base64EncodedString())\n"
            let part = [UInt8](repeating: 0x20, count: 1 << 20)
            // Together they would take all of the memory.
            let bodies = try (0..<98).map { number in
                let client = try RawConnection(port: hub.port)
                client.send(lines: "PUT /db/d\(number) HTTP/1.1\n\(login)Content-Length: \(part.count + 2)\n\n")
                client.send(part)
                return client
            }
            let share = WebServerOptions().bodyMemory.ofUser
            // Some of them are refused, and the others hold most of the share.
            while hub.hub.heldResources.bodyMemory < share / 2 { await Task.yield() }
            let strangers = try (0..<50).map { _ in
                let client = try RawConnection(port: hub.port)
                client.send(lines: "POST /db/_session HTTP/1.1\nHost: localhost\nContent-Length: 4000\n\n{")
                return client
            }
            let large = try RawConnection(port: hub.port)
            large.send(lines: "POST /db/_session HTTP/1.1\nHost: localhost\nContent-Length: 1000000\n\n")
            #expect(large.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
            let text = String(repeating: "x", count: 100_000)
            #expect(try await hub.send("PUT", "/db/b", #"{"text":"\#(text)"}"#, user: "ben").status == 201)
            #expect(try await hub.send("POST", "/db/_session", #"{"name":"ben","password":"secret"}"#).status == 200)
            #expect(try await hub.send("PUT", "/db/a", #"{"n":1}"#, user: "anna").status == 201)
            #expect(hub.hub.heldResources.bodyMemory <= share)
            withExtendedLifetime((bodies, strangers)) {}
        }
    }

    @Test("connections beyond the limit are closed, first those that do nothing")
    func connections() async throws {
        try await withHub {
            $0.web.maximumConnections = 10
            $0.web.maximumUnusedConnections = 8
        } _: { hub in
            let idle = try (0..<40).map { _ in try RawConnection(port: hub.port) }
            #expect(try await hub.send("PUT", "/db/a", "{}").status == 201)
            for client in idle.prefix(30) { #expect(client.readAll().isEmpty) }
            let waiting = try (0..<10).map { _ in
                let client = try RawConnection(port: hub.port)
                client.send(lines: "GET /db/_changes?feed=longpoll&since=1 HTTP/1.1\n\(host)\n")
                #expect(client.read(until: "results").hasPrefix("HTTP/1.1 200 "))
                return client
            }
            // All are busy now.
            let refused = try RawConnection(port: hub.port)
            #expect(refused.readAll().isEmpty)
            withExtendedLifetime(waiting) {}
        }
    }

    @Test("requests that are sent in advance are answered in their order")
    func pipelining() async throws {
        try await withHub { hub in
            for number in 0..<5 { #expect(try await hub.send("PUT", "/db/d\(number)", #"{"n":"value-\#(number)"}"#).status == 201) }
            let client = try RawConnection(port: hub.port)
            let count = 1000
            let requests = (0..<count).map { "GET /db/d\($0 % 5) HTTP/1.1\n\(host)\n" }.joined()
            client.send(lines: requests + "GET / HTTP/1.1\n\(host)Connection: close\n\n")
            let values = client.readAll().split(separator: "value-").dropFirst().compactMap { $0.first?.wholeNumberValue }
            #expect(values == (0..<count).map { $0 % 5 })
        }
    }

    @Test("many waiting requests do not keep others from being served, and all are notified of a change", .runsProgram(of: .tool))
    func longpolls() async throws {
        let hub = try HubProcess()
        let clients = try (0..<300).map { number in
            let client = try RawConnection(port: hub.port)
            let feed = number % 2 == 0 ? "feed=longpoll" : "feed=continuous&limit=1"
            client.send(lines: "GET /db/_changes?\(feed) HTTP/1.1\n\(host)Connection: close\n\n")
            #expect(client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            return client
        }
        #expect(try await hub.send("GET", "/db/").status == 200)
        #expect(try await hub.send("PUT", "/db/changed", "{}").status == 201)
        for client in clients { #expect(client.readAll().contains(#""id":"changed""#)) }
        if let memory = hub.peakMemory { #expect(memory < Self.maximumMemory, "\(memory >> 20) MiB") }
    }

    @Test("clients that do not read what they have requested take little memory of a hub")
    func slowReaders() async throws {
        let count = 60
        let hub = try HubProcess { database in
            let collection = try database.defaultCollection()
            try database.inBatch {
                for number in 0..<count {
                    let document = MutableDocument(id: "d\(number)")
                    document.setString(String(repeating: "text ", count: 100_000), forKey: "text")
                    try collection.save(document: document)
                }
            }
        }
        let ids = (0..<count).map { #"{"id":"d\#($0)"}"# }.joined(separator: ",")
        let wanted = #"{"docs":[\#(ids)]}"#
        let first = try await hub.send("GET", "/db/_all_docs?keys=%5B%22d1%22%5D").object["rows"] as? [[String: Any]]
        let revision = (first?.first?["value"] as? [String: String])?["rev"] ?? ""
        let revisions = Array(repeating: "%22\(revision)%22", count: 300).joined(separator: ",")
        let requests = [
            "GET /db/_all_docs?include_docs=true HTTP/1.1\n\(host)\n", "GET /db/_changes?include_docs=true HTTP/1.1\n\(host)\n",
            "GET /db/_changes?include_docs=true&feed=continuous HTTP/1.1\n\(host)\n",
            "POST /db/_bulk_get HTTP/1.1\n\(host)Content-Length: \(wanted.utf8.count)\n\n\(wanted)", "GET /db/d1 HTTP/1.1\n\(host)\n",
            "GET /db/d1?open_revs=%5B\(revisions)%5D HTTP/1.1\n\(host)\n",
        ]
        let clients = try (0..<60).map { number in
            let client = try RawConnection(port: hub.port, receiveBuffer: 4096)
            client.send(lines: requests[number % requests.count])
            return client
        }
        for _ in 0..<3 {
            let reader = try RawConnection(port: hub.port)
            reader.send(lines: "GET /db/_all_docs?include_docs=true HTTP/1.1\n\(host)Connection: close\n\n")
            #expect(reader.readAll().suffix(100).contains(#""total_rows":\#(count),"update_seq":\#(count)}"#))
        }
        if let memory = hub.peakMemory { #expect(memory < Self.maximumMemory, "\(memory >> 20) MiB") }
        withExtendedLifetime(clients) {}
    }

    @Test("a hub that may open few files closes connections that do nothing, and keeps files for the databases", .runsProgram(of: .tool))
    func descriptors() async throws {
        let hub = try HubProcess(limits: "ulimit -n 160") { database in
            let document = MutableDocument(id: "d")
            document.setBlob(Blob(contentType: "text/plain", data: Data(repeating: 0x61, count: 8 << 20)), forKey: "file")
            try database.defaultCollection().save(document: document)
        }
        let readers = try (0..<20).map { _ in
            let client = try RawConnection(port: hub.port, receiveBuffer: 4096)
            client.send(lines: "GET /db/d/blob_%2Ffile HTTP/1.1\n\(host)\n")
            #expect(client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            return client
        }
        let idle = try (0..<300).map { _ in try RawConnection(port: hub.port) }
        // Of 36 connections of an address, 20 are the readers'. A connection that the system hands over later than that of a request would close it
        // before its client has sent the request.
        #expect(RawConnection.waitUntilClosed(idle, allBut: 36 - readers.count))
        for number in 0..<5 {
            let answer = try await hub.send("PUT", "/db/n\(number)", "{}")
            #expect(answer.status == 201, "\(answer)")
        }
        #expect(try await hub.send("GET", "/db/_all_docs").object["total_rows"] as? Int == 6)
        withExtendedLifetime((readers, idle)) {}
    }
}
#endif
