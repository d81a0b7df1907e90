package import DocumentStore
import TestSupport

/// Compares version vectors with the model of complete histories, in many random histories.
package enum RandomHistories {
    /// The result of a run.
    package struct Outcome {
        /// The number of compared pairs, by their relation.
        package var compared: [RevisionOrder: Int] = [:]
        /// The differences, with the seeds of their histories.
        package var differences: [String] = []
    }

    /// - Parameters:
    ///   - count: The number of histories.
    ///   - maximumDifferences: The run ends after this number of differences.
    package static func run(count: Int, seed: UInt64, maximumDifferences: Int = 5) -> Outcome {
        var outcome = Outcome()
        var seeds = SeededGenerator(seed: seed)
        for _ in 0..<count where outcome.differences.count < maximumDifferences {
            let seed = seeds.next()
            var history = VersionHistory(seed: seed)
            do throws(VersionError) {
                try history.run()
            } catch {
                outcome.differences.append("history \(seed): \(error)")
            }
            outcome.differences += history.differences.map { "history \(seed): \($0)" }
            outcome.compared.merge(history.compared, uniquingKeysWith: +)
        }
        return outcome
    }
}
