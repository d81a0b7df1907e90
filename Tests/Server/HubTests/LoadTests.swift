#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import TestSupport
import Testing
import TestTraits

@Suite("Load on a hub", .ownThreads)
struct LoadTests {
    /// The number of clients and of documents of each, and of requests that follow the changes. `HUB_LOAD=200x100` sets another size, with 50
    /// of these requests.
    private static let size: (clients: Int, documents: Int, pollers: Int) = {
        let parts = (ProcessInfo.processInfo.environment["HUB_LOAD"] ?? "").split(separator: "x").compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1], 50) : (40, 25, 10)
    }()

    @Test(
        "nothing is lost when many clients sync at once and others follow the changes, and a hub needs less than 300 MiB",
        .runsProgram(of: .tool)
    )
    func clients() async throws {
        let (count, documents, pollers) = Self.size
        let users = (0..<count).map { (name: "user-\($0)", channels: ["c-\($0)"]) }
        let hub = try HubProcess(users: [("root", ["*"])] + users)
        let all = Set((0..<count).flatMap { Self.ids($0, documents) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<pollers {
                group.addTask {
                    let seen = try await number % 2 == 0 ? Self.poll(hub, all.count) : Self.follow(hub, all.count)
                    #expect(seen.count == all.count, "a follower has seen \(seen.count) changes")
                    #expect(Set(seen) == all)
                }
            }
            for number in 0..<count {
                group.addTask { try await Self.push(number, documents, to: hub) }
            }
            try await group.waitForAll()
        }
        let stored = try await hub.send("GET", "/db/_all_docs", user: "root")
        #expect(stored.object["total_rows"] as? Int == all.count)
        for number in Swift.stride(from: 0, to: count, by: 10) {
            let reader = try SyncingClient(port: hub.port, user: "user-\(number)")
            #expect(try await reader.sync() == nil)
            #expect(try reader.ids() == Self.ids(number, documents).sorted())
        }
        let memory = hub.peakMemory.map { "\($0 >> 20) MiB" } ?? "unknown"
        print("Load: \(count) clients, \(documents) documents each, \(pollers) followers, peak memory of the hub: \(memory)")
        #expect(hub.peakMemory ?? 0 < LimitTests.maximumMemory, "\(memory)")
    }

    private static func ids(_ number: Int, _ count: Int) -> [String] { (0..<count).map { "d-\(number)-\($0)" } }

    private static func push(_ number: Int, _ count: Int, to hub: HubProcess) async throws {
        let client = try SyncingClient(port: hub.port, user: "user-\(number)")
        let collection = client.collections[0]
        try client.local.database.inBatch {
            for id in ids(number, count) {
                let document = MutableDocument(id: id)
                document.setValue(["c-\(number)"], forKey: "channels")
                document.setString(String(repeating: "text ", count: 40), forKey: "text")
                try collection.save(document: document)
            }
        }
        #expect(try await client.sync() == nil)
        #expect(try client.ids().count == count)
    }

    /// Follows the changes with one long poll after the other. Returns the IDs in the order in which they came.
    private static func poll(_ hub: HubProcess, _ count: Int) async throws -> [String] {
        var seen: [String] = []
        var since = "0"
        while seen.count < count {
            let answer = try await hub.send("GET", "/db/_changes?feed=longpoll&since=\(since)", user: "root")
            let rows = answer.object["results"] as? [[String: Any]] ?? []
            // The time of a long poll is over: a change was lost.
            guard !rows.isEmpty, let last = answer.object["last_seq"] as? String else { break }
            seen += rows.compactMap { $0["id"] as? String }
            since = last
        }
        return seen
    }

    /// Follows the changes with one continuous feed. Returns the IDs in the order in which they came.
    private static func follow(_ hub: HubProcess, _ count: Int) async throws -> [String] {
        let answer = try await hub.send("GET", "/db/_changes?feed=continuous&limit=\(count)&heartbeat=10000", user: "root")
        return answer.text.split(separator: "\n").compactMap { line in
            let row = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return row?["id"] as? String
        }
    }
}
#endif
