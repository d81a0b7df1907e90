import ReplicationSimulation
import SyncCore

#if Replication
import HandlerFuzzing
import TransportFuzzing
#endif

/// A kind of input, and the function that generates and tests it.
struct Fuzzer: Sendable {
    /// The result of a run: counts by name, which are added up over several runs, and the failures.
    struct Outcome {
        var counts: KeyValuePairs<String, Int>
        var failures: [String]
    }

    let name: String
    /// The number of inputs in one run, which takes about a second.
    let batch: Int
    /// Tests `count` inputs generated from a seed.
    let run: @Sendable (_ count: Int, _ seed: UInt64) -> Outcome

    static var all: [Fuzzer] {
        var all = [simulate, frames, messages, bodies]
        #if Replication
        all += [handshakes, handlers]
        #endif
        return all
    }

    private static let simulate = Fuzzer(name: "simulate", batch: 20) { count, seed in
        var failures: [String] = []
        for seed in seed..<seed + UInt64(count) {
            for finding in World.run(seed: seed) { failures.append("seed \(seed): \(finding)") }
            for finding in LossyWorld.run(seed: seed) { failures.append("seed \(seed), losses: \(finding)") }
        }
        return Outcome(counts: ["worlds": count], failures: failures)
    }

    private static let frames = Fuzzer(name: "frames", batch: 100_000) { count, seed in
        let outcome = BLIPFuzzing.run(count: count, seed: seed)
        return Outcome(counts: ["accepted": outcome.accepted, "refused": outcome.refused], failures: outcome.failures)
    }

    private static let messages = Fuzzer(name: "messages", batch: 1000) { count, seed in
        let outcome = MessageFuzzing.run(count: count, seed: seed)
        return Outcome(
            counts: ["requests": outcome.requests, "of them refused": outcome.errors, "answers": outcome.answers],
            failures: outcome.failures
        )
    }

    private static let bodies = Fuzzer(name: "bodies", batch: 20_000) { count, seed in
        let outcome = BodyFuzzing.run(count: count, seed: seed)
        return Outcome(counts: ["accepted": outcome.accepted, "refused": outcome.refused], failures: outcome.failures)
    }

    #if Replication
    private static let handlers = Fuzzer(name: "handlers", batch: 500) { count, seed in
        let outcome = HandlerFuzzing.run(count: count, seed: seed)
        return Outcome(counts: ["accepted": outcome.accepted, "refused": outcome.refused], failures: outcome.failures)
    }

    private static let handshakes = Fuzzer(name: "handshakes", batch: 20_000) { count, seed in
        let outcome = HandshakeFuzzing.run(count: count, seed: seed)
        return Outcome(counts: ["accepted": outcome.accepted, "refused": outcome.refused], failures: outcome.failures)
    }
    #endif
}
