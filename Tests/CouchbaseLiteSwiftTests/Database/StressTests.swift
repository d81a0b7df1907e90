import Foundation
import TestSupport
import Testing

@Suite("Stress of concurrent threads and processes")
struct StressTests {
    /// How long it goes on. `script/stress` runs the same for a minute, and watches the memory accesses.
    private static let seconds = 3

    @Test("eight threads in each of two processes lose no changes and get all notifications in order")
    func stress() async throws {
        let seed = TestSeed.forThisTest()
        let program = try ProcessRunner(product: "DatabaseStress")
        let result = await (try program.start(["\(Self.seconds)", "\(seed)"])).result
        #expect(result.ending == .exited(0), "\(result.output)\(result.errorOutput)")
    }
}
