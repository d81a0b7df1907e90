import Testing

@testable import VectorSearch

/// Training that is cancelled while it searches for centroids.
@Suite("Cancelled training")
struct TrainingCancellationTests {
    /// Answers whether training is cancelled, and counts how often it was asked.
    private final class Question {
        private(set) var count = 0
        private let limit: Int

        /// - Parameter limit: The number of answers until training is cancelled.
        init(limit: Int) { self.limit = limit }

        func isCancelled() -> Bool {
            count += 1
            return count > limit
        }
    }

    private func sample(_ count: Int, dimensions: Int) -> [Float] {
        var random = SeededNumbers(seed: 41)
        return (0..<count * dimensions).map { _ in Float.random(in: 0..<100, using: &random) }
    }

    private func train(_ options: VectorIndexOptions, _ sample: [Float], _ question: Question) throws {
        var random = SeededNumbers(seed: 42)
        _ = try VectorModel(training: options, sample: sample, &random, isCancelled: question.isCancelled)
    }

    @Test(
        "no round of the search for centroids begins after training was cancelled, in whatever round that was",
        arguments: [
            VectorIndexOptions(dimensions: 4, centroids: 20, encoding: .none),
            VectorIndexOptions(dimensions: 4, centroids: 20, metric: .cosine),
            VectorIndexOptions(dimensions: 4, centroids: 20, metric: .dot, encoding: .product(subquantizers: 2, bits: 4)),
        ]
    )
    func rounds(_ options: VectorIndexOptions) throws {
        let sample = sample(500, dimensions: 4)
        let whole = Question(limit: .max)
        try train(options, sample, whole)
        // The vectors are random, so that no centroid comes to rest in the first rounds.
        #expect(whole.count >= 4)
        for limit in 0..<whole.count {
            let question = Question(limit: limit)
            #expect(throws: CancellationError.self) { try train(options, sample, question) }
            #expect(question.count == limit + 1)
        }
    }

    @Test("centroids in two levels, and those of a large sample, are not searched for to the end")
    func levels() throws {
        for (options, count) in [
            (VectorIndexOptions(dimensions: 2, centroids: 2100, encoding: .none), 2500),
            // One round has several steps.
            (VectorIndexOptions(dimensions: 2, centroids: 3, encoding: .none), 150_000),
        ] {
            let sample = sample(count, dimensions: 2)
            for limit in [0, 1, 2, 10] {
                let question = Question(limit: limit)
                #expect(throws: CancellationError.self) { try train(options, sample, question) }
                #expect(question.count == limit + 1)
            }
        }
    }
}
