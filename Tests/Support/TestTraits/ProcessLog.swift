package import Testing

/// Runs tests that receive the log of the process one at a time: the tests of all targets run in one process, and it has one log.
package struct ProcessLogTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    private static let gate = Gate(places: 1)

    package func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        await Self.gate.enter(isUrgent: false)
        defer { Self.gate.leave() }
        try await function()
    }
}

extension Trait where Self == ProcessLogTrait {
    /// Runs tests that receive the log of the process one at a time. They give it back to the receiver before them.
    package static var receivesProcessLog: Self { ProcessLogTrait() }
}
