#if Replication
import Foundation
import Hub
import TestSupport
import TestTraits
import Testing

@Suite("Clients of CouchDB's replication protocol", .ownThreads)
struct CouchReplicationTests {
    private let peer = ProcessRunner(
        executable: URL(fileURLWithPath: "/usr/bin/env"),
        leading: ["python3", Fixtures.tools.appendingPathComponent("couch_peer.py").path]
    )

    @Test("clients replicate in both directions while others write, move and delete documents, and nothing fails or is lost")
    func live() async throws {
        try await withHub { hub in
            for (name, channels) in [("root", ["*"]), ("anna", ["mine"]), ("bert", ["mine", "other"])] {
                #expect(try hub.hub.users.add(name, password: "secret", channels: channels))
            }
            let seed = TestSeed.forThisTest() & 0xFFFF_FFFF
            let result = try await peer.run(["live", "http://127.0.0.1:\(hub.port)/db", "--seed", "\(seed)"])
            let line = result.outputLines.last ?? ""
            let counts = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(counts?["failures"] as? [String] == [], "\(result.errorOutput)")
            for name in ["pulled", "pushed", "removed"] { #expect(counts?[name] as? Int ?? 0 > 0, "\(name): \(line)") }
            #expect(counts?["again"] as? Int == 0)
        }
    }
}
#endif
