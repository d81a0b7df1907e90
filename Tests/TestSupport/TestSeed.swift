import Foundation

/// Where random tests get their seeds: always the same ones, so that a run that passes passes again.
///
/// To try others, or to repeat a failure with the seed it reported, set the environment variable `TEST_SEED` to a number.
package enum TestSeed {
    /// The seed of the test that calls this: `TEST_SEED` when it is set, else a number made of the test's file and name.
    package static func forThisTest(fileID: String = #fileID, function: String = #function) -> UInt64 {
        if let text = ProcessInfo.processInfo.environment["TEST_SEED"] {
            guard let seed = UInt64(text) else { fatalError("TEST_SEED is not a number from 0 to 2^64 - 1: \(text)") }
            return seed
        }
        // FNV-1a: the hashes of the standard library differ from run to run.
        return "\(fileID) \(function)".utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
