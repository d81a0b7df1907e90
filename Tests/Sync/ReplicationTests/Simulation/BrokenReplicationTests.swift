import DocumentStore
import Replication
import ReplicationSimulation
import SyncCore
import TestSupport
import Testing

@Suite("Interrupted replications")
struct BrokenReplicationTests {
    private let simulation = Simulation(seed: TestSeed.forThisTest())
    private let local: SimulatedDatabase
    private let server: SimulatedDatabase

    init() throws {
        local = try SimulatedDatabase("local", in: simulation)
        server = try SimulatedDatabase("server", in: simulation)
    }

    /// Data of every kind on both sides, including a conflict.
    private func edit(_ round: Int) throws {
        for database in [local, server] {
            let blob = try database.blob((0..<3000).map { UInt8(truncatingIfNeeded: $0 &* round) })
            for number in 0..<4 {
                try database.save("\(database.name)\(number)", #"{"by":"\#(database.name)","round":\#(round)}"#)
            }
            try database.save("both", #"{"by":"\#(database.name)","round":\#(round)}"#)
            try database.save("\(database.name)-blob", #"{"blob":\#(blob),"round":\#(round)}"#)
            if round % 2 == 0 { try database.delete("\(database.name)1") }
        }
    }

    /// Replicates twice: the results of conflicts are transferred by the second run.
    private func heal() throws {
        for _ in 0..<2 {
            let replication = try simulation.replicate(local, with: server)
            #expect(replication.active.error == nil)
        }
        let content = try local.content()
        #expect(try server.content() == content)
        #expect(content.missingBlobs.isEmpty)
        #expect(content.conflicts.isEmpty)
        let again = try simulation.replicate(local, with: server)
        #expect(again.active.documents.isEmpty)
    }

    @Test("the next replication completes an interrupted one, wherever the connection breaks")
    func cut() throws {
        var round = 1
        try edit(round)
        let whole = 3000
        var brokenCount = 0
        for count in stride(from: 1, to: whole, by: 151) {
            let replication = SimulatedReplication(local, with: server, in: simulation)
            replication.link.cut(afterBytes: count)
            try simulation.run { replication.hasEnded }
            if replication.active.error != nil { brokenCount += 1 }
            if count % 4 == 0 { try heal() }
            round += 1
            try edit(round)
        }
        #expect(brokenCount >= 10)
        try heal()
    }

    @Test("the next replication completes one in which a database died before or after a commit", arguments: [true, false])
    func kill(isLocal: Bool) throws {
        let victim = isLocal ? local : server
        var deathCount = 0
        for commit in 1...6 {
            for moment in [ReplicaDatabase.CommitPhase.before, .after] {
                try edit(commit * 2 + (moment == .before ? 0 : 1))
                victim.kill(atCommit: commit, moment)
                let replication = SimulatedReplication(local, with: server, in: simulation)
                try simulation.run { replication.hasEnded }
                if victim.isDead {
                    deathCount += 1
                    #expect(replication.active.error != nil)
                }
                try victim.reopen()
                if commit % 2 == 0 { try heal() }
            }
        }
        #expect(deathCount >= 4)
        try heal()
    }

    @Test("a peer that becomes silent ends the session with a network error")
    func silence() throws {
        try edit(1)
        let replication = SimulatedReplication(local, with: server, in: simulation)
        simulation.run(for: .milliseconds(3))
        replication.link.fallSilent()
        try simulation.run { replication.hasEnded }
        #expect(replication.active.error?.domain == .network)
        try heal()
    }

    @Test("slow links with high jitter give the same result", arguments: [1, 2, 3])
    func slow(seed: UInt64) throws {
        simulation.random = SeededGenerator(seed: seed)
        try edit(1)
        try edit(2)
        var options = SimulatedReplication.Options()
        options.link.latency = .milliseconds(150)
        options.link.jitter = .milliseconds(300)
        options.link.bytesPerSecond = 3000
        options.link.lineSize = 1000
        try simulation.replicate(local, with: server, options)
        try heal()
    }
}
