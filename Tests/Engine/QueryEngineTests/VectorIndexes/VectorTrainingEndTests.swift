import DocumentStore
import Foundation
import SQLiteEngine
import Synchronization
import TestTraits
import Testing
import VectorSearch

@testable import QueryEngine

/// Training that fails, is cancelled, waits for other training, or has nothing to do (Vector search EN-26).
@Suite("Ends of vector training", .ownThreads)
struct VectorTrainingEndTests {
    private let options = VectorIndexOptions(dimensions: 2, centroids: 2, encoding: .none)

    /// Counts how often training has asked whether it is cancelled.
    private final class Counter: Sendable {
        private let state = Atomic(0)

        var count: Int { state.load(ordering: .sequentiallyConsistent) }

        func add() -> Int { state.add(1, ordering: .sequentiallyConsistent).newValue }
    }

    @Test("vectors that were not coded, because the work on them has failed, are coded after a later change")
    func failed() throws {
        let words = try VectorDatabase.untrained(300, options)
        let hold = IndexWork.$retryDelay.withValue(0) { TrainingHold(words, fails: true) }
        try words.beginTraining()
        // What this change schedules is to be run after the work that fails, and is not run then.
        try words.save("w0", 0, 1)
        hold.end()
        while words.database.file.indexWork.isScheduled(VectorDatabase.indexName) { usleep(1000) }
        #expect(try words.rawCellCount() > 0)
        try words.save("w1", 1, 1)
        try words.waitForTraining()
        #expect(try words.nearest(300).count == 300)
        #expect(try words.findings() == [])
    }

    @Test("cancelled training ends at the next step, also while it searches for centroids, and leaves an index that answers")
    func cancelled() throws {
        let words = try VectorDatabase.untrained(300, options)
        let hold = TrainingHold(words)
        defer { hold.end() }
        var (cancelledCount, isFinished) = (0, false)
        while !isFinished, cancelledCount < 100 {
            let (counter, limit) = (Counter(), cancelledCount)
            let training = VectorTraining(of: VectorDatabase.indexName) { _ in counter.add() > limit }
            do {
                try training.run(on: words.database.file)
                isFinished = true
            } catch is CancellationError {
                #expect(counter.count == limit + 1)
                cancelledCount += 1
                #expect(try words.nearest(300).count == 300)
                // In the first steps the vectors are read, and centroids searched for.
                if cancelledCount <= 4 { #expect(try !words.state().isTrained) }
            }
        }
        // Reading, several rounds, the model, and the codes.
        #expect(cancelledCount >= 6)
        #expect(try words.state().isTrained && words.rawCellCount() == 0)
        #expect(try words.findings() == [])
    }

    @Test("closing a file does not wait for the search for centroids, which ends at its next step")
    func closed() throws {
        var words: VectorDatabase? = try VectorDatabase.untrained(300, options)
        let file = try #require(words?.database.file)
        let (begun, ended, counter) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Counter())
        let training = VectorTraining(of: VectorDatabase.indexName) { file in
            // The first question is asked while vectors are read.
            guard counter.add() == 3 else { return file.indexWork.isStopped }
            begun.signal()
            while !file.indexWork.isStopped { usleep(1000) }
            return true
        }
        file.scheduleIndexWork(VectorDatabase.indexName) { file in
            defer { ended.signal() }
            try training.run(on: file)
        }
        begun.wait()
        words = nil
        ended.wait()
        #expect(counter.count == 3)
        #expect(words == nil && file.indexWork.isStopped)
    }

    @Test("training in the background counts for the limit of the process, and waits until it is permitted")
    func limited() throws {
        let limit = IndexWorkLimit(count: 1)
        try VectorTraining.$limit.withValue(limit) {
            try VectorTraining.$minimumVectors.withValue(20) {
                let (other, words) = (try VectorDatabase(), try VectorDatabase.withPoints(49, options))
                let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                other.database.file.scheduleIndexWork("other", limit: limit) { _ in
                    begun.signal()
                    end.wait()
                }
                begun.wait()
                try words.save("one more", 7, 0)
                // What was on the queue of the file before has ended then.
                func waitForQueue(_ name: String) {
                    let reached = DispatchSemaphore(value: 0)
                    words.database.file.scheduleIndexWork(name) { _ in reached.signal() }
                    reached.wait()
                }
                waitForQueue("first")
                #expect(try !words.state().isTrained)
                #expect(words.database.file.indexWork.isScheduled(VectorDatabase.indexName))
                end.signal()
                try words.waitForTraining()
                waitForQueue("second")
                #expect(limit.runningCount == 0)
            }
        }
    }

    @Test("training reads no vectors of an index that has too few, although its cells have enough places")
    func tooFew() throws {
        var larger = options
        larger.minimumTraining = 100_000
        let words = try VectorDatabase.withPoints(60, larger)
        try words.database.file.transaction { _ in
            for n in 0..<20 { try words.database.delete("w\(n)", in: "words") }
        }
        try words.setStoredOptions(options)
        let cells = "\(VectorDatabase.indexName):cells".quotedIdentifier
        // Reading them would be an error, after which the index is made anew.
        try words.execute("UPDATE \(cells) SET data = zeroblob(7)")
        try VectorTraining(of: VectorDatabase.indexName).run(on: words.database.file)
        let damaged = try words.database.file.read { try $0.connection.scalar("SELECT count(*) FROM \(cells) WHERE data = zeroblob(7)") }
        #expect(damaged ?? 0 > 0)
        try words.database.indexes.rebuild()
        #expect(try words.state() == .init(vectorCount: 40, isTrained: false))
    }
}
