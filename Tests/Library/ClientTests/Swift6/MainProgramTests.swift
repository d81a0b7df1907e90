import TestSupport
import Testing

/// The code at the top level of a program belongs to the main actor, and so did the listeners that it added on other threads: in Swift 6
/// mode, the process ended when they were called.
@Suite("Programs with listeners at the top level")
struct MainProgramTests {
    @Test("all listeners of main.swift are called in either language mode", arguments: ["Swift5MainProgram", "Swift6MainProgram"])
    func mainProgram(product: String) async throws {
        let result = try await ProcessRunner(product: product).run()
        #expect(result.exitCode == 0, "\(result.output) \(result.errorOutput)")
        let lines = result.outputLines
        #expect(lines.contains("collection listener, 1"))
        #expect(lines.contains("collection listener on a queue, 1"))
        #expect(lines.contains("document listener, a"))
        #expect(lines.contains("query listener"))
        #if Replication
        #expect(lines.contains("replicator listener"))
        #expect(lines.contains("document replication listener on a queue"))
        #endif
    }
}
