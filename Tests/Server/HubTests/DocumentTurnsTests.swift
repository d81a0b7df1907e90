#if Replication
import CouchbaseLiteSwift
import Foundation
import TestSupport
import TestTraits
import Testing
import Transport
import WebServer

@testable import Hub

@Suite("Turns of large documents", .ownThreads)
struct DocumentTurnsTests {
    private static let size = 10 << 20

    private func owner(_ name: String) -> RequestOwner {
        let owner = RequestOwner(ClientAddress(nil))
        owner.identify(name)
        return owner
    }

    /// A document that waits for its turn, is encoded, and is sent, when a test wants.
    private final class Reading: Sendable {
        private let (encoded, encoding) = AsyncStream.makeStream(of: Void.self)
        private let (sent, sending) = AsyncStream.makeStream(of: Void.self)
        private let task: Task<Void, any Error>

        /// - Parameter events: Receives the name at the beginning, and again with `!` when the document is sent.
        init(_ turns: DocumentTurns, _ name: String, _ owner: RequestOwner, size: Int, _ events: Recorder<String>) {
            let (encoded, sent) = (encoded, sent)
            task = Task {
                let turn = try await turns.turn(of: size, for: owner)
                events.append(name)
                for await _ in encoded {}
                turn.encoded(size)
                for await _ in sent {}
                withExtendedLifetime(turn) {}
                events.append(name + "!")
            }
        }

        func encode() { encoding.finish() }

        func send() async throws {
            encode()
            sending.finish()
            try await task.value
        }

        func cancel() { task.cancel() }

        /// The error that has ended the reading; `nil` if there is none.
        func failure() async -> (any Error)? {
            do {
                try await task.value
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("a user encodes one document at a time, others get the turns in between, and all memory is returned")
    func users() async throws {
        let turns = DocumentTurns()
        let events = Recorder<String>()
        func read(_ name: String, _ user: String) async -> Reading {
            let before = turns.counts
            let reading = Reading(turns, name, owner(user), size: Self.size, events)
            while turns.counts.encoding + turns.counts.waiting == before.encoding + before.waiting { await Task.yield() }
            return reading
        }
        let anna = [await read("a1", "anna"), await read("a2", "anna"), await read("a3", "anna"), await read("a4", "anna")]
        #expect(await events.reaches { $0 == ["a1"] })
        #expect(turns.counts.waiting == 3)
        // Another user does not wait for them, and a third one only until one of the two is encoded.
        let ben = await read("b", "ben")
        #expect(await events.reaches { $0 == ["a1", "b"] })
        let carl = await read("c", "carl")
        anna[0].encode()
        #expect(await events.reaches { Set($0.dropFirst(2)) == ["a2"] || Set($0.dropFirst(2)) == ["c"] })
        ben.encode()
        #expect(await events.reaches { Set($0.dropFirst(2)) == ["a2", "c"] })
        anna[1].encode()
        #expect(await events.reaches { $0.last == "a3" })
        anna[2].encode()
        carl.encode()
        // The memory of the user is used up until one of the documents is sent.
        #expect(turns.counts.waiting == 1 && turns.counts.memory == 5 * Self.size)
        try await anna[1].send()
        #expect(await events.reaches { $0.last == "a4" || $0.contains("a4") })
        for reading in [anna[0], anna[2], anna[3], ben, carl] { try await reading.send() }
        #expect(turns.counts == (0, 0, 0))
    }

    @Test("readers that do not read what they have requested leave memory for users who have none")
    func memory() async throws {
        var limits = DocumentTurns.Limits()
        limits.encoding = 100
        let turns = DocumentTurns(limits)
        let events = Recorder<String>()
        var readings: [Reading] = []
        // As much as users may have for more than one document.
        for user in 0..<2 {
            for number in 0..<3 {
                let name = "\(user)-\(number)"
                let reading = Reading(turns, name, owner("\(user)"), size: Self.size, events)
                #expect(await events.reaches { $0.contains(name) })
                reading.encode()
                while turns.counts.encoding > 0 { await Task.yield() }
                readings.append(reading)
            }
        }
        for user in 2..<5 {
            let reading = Reading(turns, "\(user)", owner("\(user)"), size: Self.size, events)
            #expect(await events.reaches { $0.contains("\(user)") })
            readings.append(reading)
        }
        let late = Reading(turns, "late", owner("late"), size: Self.size, events)
        while turns.counts.waiting == 0 { await Task.yield() }
        try await readings[0].send()
        #expect(await events.reaches { $0.contains("late") })
        for reading in readings.dropFirst() + [late] { try await reading.send() }
        #expect(turns.counts == (0, 0, 0))
    }

    @Test("a document that is larger than the memory is sent alone, and a client that has gone leaves the queue")
    func largest() async throws {
        let turns = DocumentTurns()
        let events = Recorder<String>()
        let large = Reading(turns, "large", owner("anna"), size: 200 << 20, events)
        #expect(await events.reaches { $0 == ["large"] })
        let gone = Reading(turns, "gone", owner("ben"), size: Self.size, events)
        while turns.counts.waiting < 1 { await Task.yield() }
        let other = Reading(turns, "other", owner("carl"), size: Self.size, events)
        while turns.counts.waiting < 2 { await Task.yield() }
        gone.cancel()
        #expect(await gone.failure() is CancellationError)
        try await large.send()
        #expect(await events.reaches { $0.last == "other" || $0.contains("other") })
        try await other.send()
        #expect(!events.all.contains("gone"))
        #expect(turns.counts == (0, 0, 0))
    }

    @Test("too many documents that wait are refused")
    func refusal() async throws {
        var limits = DocumentTurns.Limits()
        limits.waitingOfUser = 2
        let turns = DocumentTurns(limits)
        let events = Recorder<String>()
        let readings = (0..<3).map { Reading(turns, "\($0)", owner("anna"), size: Self.size, events) }
        while turns.counts.encoding + turns.counts.waiting < 3 { await Task.yield() }
        let error = await #expect(throws: WebError.self) { try await turns.turn(of: Self.size, for: owner("anna")) }
        #expect(error?.status == 503)
        readings.forEach { $0.encode() }
        for reading in readings { try await reading.send() }
        #expect(turns.counts == (0, 0, 0))
    }

    @Test("large documents are sent in turns by all requests that return documents, and their contents are complete")
    func requests() async throws {
        let text = String(repeating: "text ", count: 200_000)
        let count = 12
        let hub = try HubProcess(users: [("anna", ["*"]), ("ben", ["*"])]) { database in
            for id in ["large", "other"] {
                let document = MutableDocument(id: id)
                document.setString(text, forKey: "text")
                for number in 0..<20_000 { document.setInt(number, forKey: "key-\(number)") }
                try database.defaultCollection().save(document: document)
            }
            try database.defaultCollection().save(document: MutableDocument(id: "small", data: ["n": 1]))
        }
        let login = "Host: localhost\nConnection: close\nAuthorization: Basic \(Data("anna:secret".utf8).base64EncodedString())\n"
        let wanted = #"{"docs":[{"id":"large"},{"id":"small"},{"id":"other"}]}"#
        // The bodies of responses to HTTP/1.0 are not in chunks.
        let kinds = [
            "GET /db/large HTTP/1.0\n\(login)\n", "GET /db/_all_docs?include_docs=true HTTP/1.0\n\(login)\n",
            "GET /db/_changes?include_docs=true HTTP/1.0\n\(login)\n",
            "POST /db/_bulk_get HTTP/1.0\n\(login)Content-Length: \(wanted.utf8.count)\n\n\(wanted)",
            "GET /db/large?open_revs=all HTTP/1.0\n\(login)Accept: application/json\n\n",
        ]
        let slow = try (0..<count).map { number in
            let client = try RawConnection(port: hub.port, receiveBuffer: 128 << 10)
            client.send(lines: kinds[number % kinds.count])
            return client
        }
        // Another user is served, and the same user gets small documents.
        #expect(try await hub.send("GET", "/db/large", user: "ben").object["text"] as? String == text)
        #expect(try await hub.send("GET", "/db/small", user: "anna").status == 200)
        let listed = try await hub.send("GET", "/db/_all_docs?include_docs=true", user: "ben").object["rows"] as? [[String: Any]]
        #expect(listed?.compactMap { $0["id"] as? String } == ["large", "other", "small"])
        #expect(listed?.compactMap { ($0["doc"] as? [String: Any])?["text"] as? String } == [text, text])
        // Now the slow clients read, one after the other.
        for (number, client) in slow.enumerated() {
            let isComplete = client.readAll().utf8.firstRange(of: text.utf8) != nil
            #expect(isComplete, "\(kinds[number % kinds.count].prefix(30))")
        }
        if let memory = hub.peakMemory { #expect(memory < LimitTests.maximumMemory, "\(memory >> 20) MiB") }
    }
}
#endif
