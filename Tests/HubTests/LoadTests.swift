#if Replication
import CouchbaseLiteSwift
import CouchbaseLiteTestSupport
import Foundation
import Hub
import TestSupport
import Testing
import TestTraits

@Suite("Load on a hub", .ownThreads)
struct LoadTests {
    /// The number of clients and of documents of each. `HUB_LOAD=200x100` sets another size.
    private static let size: (clients: Int, documents: Int) = {
        let parts = (ProcessInfo.processInfo.environment["HUB_LOAD"] ?? "").split(separator: "x").compactMap { Int($0) }
        return parts.count == 2 ? (parts[0], parts[1]) : (40, 25)
    }()

    @Test("nothing is lost when many clients sync at once, and no client receives documents of others")
    func clients() async throws {
        let (count, documents) = Self.size
        try await withHub { hub in
            #expect(try hub.hub.users.add("root", password: "secret", channels: ["*"]))
            for number in 0..<count { #expect(try hub.hub.users.add("user-\(number)", password: "secret", channels: ["c-\(number)"])) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    group.addTask { try await Self.push(number, documents, to: hub) }
                }
                try await group.waitForAll()
            }
            let all = try await hub.send("GET", "/db/_all_docs", user: "root")
            #expect(all.object["total_rows"] as? Int == count * documents)
            let readers = Swift.stride(from: 0, to: count, by: 10)
            for number in readers {
                let reader = try SyncingClient(hub, user: "user-\(number)")
                #expect(try await reader.sync() == nil)
                #expect(try reader.ids() == Self.ids(number, documents).sorted())
            }
            if let memory = Self.peakMemory { print("Load: \(count) clients, \(documents) documents each, peak memory \(memory) KiB") }
        }
    }

    private static func ids(_ number: Int, _ count: Int) -> [String] { (0..<count).map { "d-\(number)-\($0)" } }

    private static func push(_ number: Int, _ count: Int, to hub: RunningHub) async throws {
        let client = try SyncingClient(hub, user: "user-\(number)")
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

    /// The largest amount of memory that this process has used, in KiB; `nil` where the system does not tell.
    private static var peakMemory: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        return status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }?.split(separator: " ").compactMap { Int($0) }.first
    }
}
#endif
