import Foundation
import ReplicationSimulation

/// Tests replication in random worlds, and all code that reads data of a peer with random data:
///
///     ReplicationFuzz COMMAND COUNT [SEED]             tests COUNT inputs
///     ReplicationFuzz COMMAND --seconds N [SEED]       tests inputs for N seconds, from SEED and following seeds
///     ReplicationFuzz simulate --seed N [--verbose]    runs one world, and prints its events
///
/// The commands are `simulate` (worlds with faults), `frames`, `messages`, `bodies`, `handshakes`
/// and `handlers` (the handlers of connections on sockets that misbehave at each call).
/// The exit code is 1 if there were failures.
#if !GUIDED
@main
#endif
struct ReplicationFuzz {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        guard let command = arguments.popFirst() else { usage() }
        guard let fuzzer = Fuzzer.all.first(where: { $0.name == command }) else { usage() }
        if command == "simulate", arguments.first == "--seed",
            let seed = arguments.dropFirst().first.flatMap({ UInt64($0) })
        {
            let log = arguments.contains("--verbose") ? { (event: String) in print(event) } : nil
            let findings = World.run(seed: seed, log: log) + LossyWorld.run(seed: seed, log: log)
            for finding in findings { print("seed \(seed): \(finding)") }
            exit(findings.isEmpty ? 0 : 1)
        }
        let isTimed = arguments.first == "--seconds"
        if isTimed { arguments.removeFirst() }
        let amount = arguments.popFirst().flatMap { Int($0) } ?? 0
        let seed = arguments.popFirst().map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        guard amount > 0, let seed, arguments.isEmpty else { usage() }
        let isGood = run(fuzzer, count: isTimed ? nil : amount, seconds: isTimed ? Double(amount) : nil, seed: seed)
        exit(isGood ? 0 : 1)
    }

    /// Tests `count` inputs, or inputs for `seconds`. Returns whether there were no failures.
    private static func run(_ fuzzer: Fuzzer, count: Int?, seconds: Double?, seed: UInt64) -> Bool {
        let end = seconds.map { Date() + $0 }
        var counts: [String: Int] = [:]
        var failures: [String] = []
        var next = seed
        print("\(fuzzer.name) from seed \(seed)")
        // Flushed, so that the seed is printed even if the program traps.
        fflush(nil)
        repeat {
            let outcome = fuzzer.run(count ?? fuzzer.batch, next)
            for (name, number) in outcome.counts { counts[name, default: 0] += number }
            for failure in outcome.failures { print(failure) }
            failures += outcome.failures
            // The worlds of a batch have consecutive seeds.
            next += UInt64(fuzzer.batch)
        } while end.map({ Date() < $0 }) == true && failures.count < 10
        let text = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        print("\(fuzzer.name): \(text), \(failures.count) findings, seed \(seed)")
        return failures.isEmpty
    }

    private static func usage() -> Never {
        print("usage: ReplicationFuzz \(Fuzzer.all.map(\.name).joined(separator: "|")) COUNT|--seconds N [SEED]")
        exit(64)
    }
}
