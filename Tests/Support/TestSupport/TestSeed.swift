import Foundation

/// The seeds of random tests. They are the same in each run, so that results are reproducible.
///
/// To use another seed, or to repeat a failure with the seed it reported, set the environment variable `TEST_SEED` to a number.
package enum TestSeed {
    /// Returns the seed of the calling test: `TEST_SEED` if it is set, otherwise a hash of the test's file and name.
    package static func forThisTest(fileID: String = #fileID, function: String = #function) -> UInt64 {
        if let text = ProcessInfo.processInfo.environment["TEST_SEED"] {
            guard let seed = UInt64(text) else { fatalError("TEST_SEED is not a number from 0 to 2^64 - 1: \(text)") }
            return seed
        }
        // FNV-1a, because the hashes of the standard library differ from run to run.
        return "\(fileID) \(function)".utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
