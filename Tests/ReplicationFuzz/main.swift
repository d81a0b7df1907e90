// Random worlds, and random bytes for whatever reads what a peer sends, for as long as one likes:
//
//     ReplicationFuzz simulate COUNT [SEED]            worlds in which everything goes wrong
//     ReplicationFuzz simulate --seed N [--verbose]    one of them, and what happens in it
//     ReplicationFuzz frames|messages|bodies COUNT [SEED]
//
// The exit code is 1 when something was wrong.
import Foundation
import ReplicationSimulation

private let arguments = Array(CommandLine.arguments.dropFirst())

private func option(_ name: String) -> UInt64? {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
    return UInt64(arguments[index + 1])
}

private func simulate(_ count: Int, _ seed: UInt64) -> Bool {
    var findings = 0
    for seed in seed..<seed + UInt64(count) {
        for finding in World.run(seed: seed) {
            print("seed \(seed): \(finding)")
            findings += 1
        }
    }
    print("simulate: \(count) worlds from seed \(seed), \(findings) findings")
    return findings == 0
}

private func report(_ name: String, _ failures: [String], _ seed: UInt64, _ outcome: String) -> Bool {
    for failure in failures { print(failure) }
    print("\(name): \(outcome), seed \(seed)")
    return failures.isEmpty
}

private func run(_ command: String, _ count: Int, _ seed: UInt64) -> Bool? {
    switch command {
    case "simulate": return simulate(count, seed)
    case "frames":
        let outcome = BLIPFuzzing.run(count: count, seed: seed)
        return report(command, outcome.failures, seed, "\(outcome.accepted) accepted, \(outcome.refused) refused")
    case "messages":
        let outcome = MessageFuzzing.run(count: count, seed: seed)
        let text = "\(outcome.requests) requests, \(outcome.errors) answered with errors, \(outcome.answers) answers"
        return report(command, outcome.failures, seed, text)
    case "bodies":
        let outcome = BodyFuzzing.run(count: count, seed: seed)
        return report(command, outcome.failures, seed, "\(outcome.accepted) accepted, \(outcome.refused) refused")
    default: return nil
    }
}

if arguments.first == "simulate", let seed = option("--seed") {
    let findings = World.run(seed: seed, log: arguments.contains("--verbose") ? { print($0) } : nil)
    for finding in findings { print("seed \(seed): \(finding)") }
    exit(findings.isEmpty ? 0 : 1)
}
let count = arguments.count > 1 ? Int(arguments[1]) ?? 0 : 0
let seed = arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : UInt64.random(in: 0..<1 << 32)
guard count > 0, let isGood = run(arguments.first ?? "", count, seed) else {
    print("usage: ReplicationFuzz simulate|frames|messages|bodies COUNT [SEED]")
    exit(64)
}
exit(isGood ? 0 : 1)
