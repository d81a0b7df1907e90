import Foundation
import TestSupport
import TestTraits
import Testing

/// Whether the program can intercept the file access of a database on this system.
private let callsCanBeSeen = (try? ProcessRunner(product: "DatabaseFaults").run(["available"]))?.exitCode == 0

/// Runs the program that intercepts the file access of a database (`Tests/Programs/DatabaseFaults`) for a short time; `script/faults` runs all of
/// it.
@Suite("Power failures and failing system calls", .ownThreads, .enabled(if: callsCanBeSeen, "calls cannot be seen here"))
struct FaultTests {
    private func run(_ command: String, count: Int, seed: UInt64, lines: Int) async throws {
        let result = try await ProcessRunner(product: "DatabaseFaults").run([command, "\(seed)", "\(count)"])
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
        #expect(result.outputLines.count == lines)
    }

    @Test("acknowledged changes are kept after a power failure, and other changes are stored completely or not at all")
    func images() async throws {
        try await run("images", count: 20, seed: TestSeed.forThisTest(), lines: 6)
    }

    @Test("a failing system call neither loses acknowledged changes nor damages the database")
    func calls() async throws {
        try await run("calls", count: 20, seed: TestSeed.forThisTest(), lines: 8)
    }
}
