import Foundation
import TestSupport
import Testing

@Suite("Stress of concurrent threads and processes")
struct StressTests {
    /// The duration. `script/stress` runs the same work for a minute, and checks the memory accesses.
    private static let seconds = 3

    @Test("eight threads in each of two processes lose no changes and get all notifications in order")
    func stress() async throws {
        let seed = TestSeed.forThisTest()
        let program = try ProcessRunner(product: "DatabaseStress")
        let result = await (try program.start(["\(Self.seconds)", "\(seed)"])).result
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
    }
}
