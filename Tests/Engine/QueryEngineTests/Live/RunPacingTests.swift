import TestSupport
import Testing

@testable import QueryEngine

@Suite("Pacing of live queries")
struct RunPacingTests {
    /// A live query on a simulated clock whose runs take a given time.
    private struct Simulation {
        var pacing = RunPacing()
        /// The start and the end of each run.
        var runs: [(start: Int64, end: Int64)] = []
        /// For each change, the time until a run that has seen it began.
        var delays: [Int64] = []

        /// Simulates changes at these times, which ascend, and runs that last `duration`. There was a run before.
        init(of changes: [Int64], duration: Int64, minimumInterval: Int64 = 0) {
            pacing.minimumInterval = minimumInterval
            var call: Int64? = 0
            var end: Int64?
            var waiting: [Int64] = []
            var next = changes.startIndex
            while next < changes.endIndex || call != nil || end != nil {
                let change = next < changes.endIndex ? changes[next] : .max
                if let time = end, time <= change {
                    end = nil
                    call = pacing.endRun(from: time - duration, at: time)
                } else if let time = call, time <= change {
                    call = pacing.nextLook(at: time)
                    guard call == nil else { continue }
                    pacing.beginRun()
                    runs.append((time, time + duration))
                    delays += waiting.map { time - $0 }
                    waiting = []
                    end = time + duration
                } else {
                    waiting.append(change)
                    if let time = pacing.noteChange(at: change), call == nil { call = time }
                    next += 1
                }
            }
            runs.removeFirst()
        }
    }

    @Test(
        "a change is followed by a run at once when the last run took at most a quarter of the time since",
        arguments: [0, 1, 3, 10, 50, 125] as [Int64]
    )
    func atOnce(duration: Int64) {
        let rest = max(4 * duration, 10)
        #expect(Simulation(of: [duration + rest], duration: duration).delays == [0])
        let soon = Simulation(of: [duration + rest - 1], duration: duration)
        #expect(soon.delays == [10])
    }

    @Test("a change during a run is followed by another run after a pause")
    func during() {
        let simulation = Simulation(of: [1000, 1010, 1015], duration: 20)
        #expect(simulation.runs.map(\.start) == [1000, 1020 + 80])
    }

    @Test("a burst is followed by one run when it ends")
    func burst() {
        let simulation = Simulation(of: [1000, 1001, 1009, 1014], duration: 0)
        #expect(simulation.runs.map(\.start) == [1000, 1031])
    }

    @Test("the minimum interval delays runs, and a change after it is followed by a run at once")
    func minimumInterval() {
        let simulation = Simulation(of: [2000, 2100, 2900, 3500, 4600], duration: 1, minimumInterval: 1000)
        #expect(simulation.runs.map(\.start) == [2000, 3001, 4002, 5003])
    }

    @Test("no change waits longer than the limit for the cost of the query, and runs take at most a fifth of the time")
    func limits() {
        var random = SeededGenerator(seed: TestSeed.forThisTest())
        for _ in 0..<2000 {
            let duration = Int64.random(in: 0...300, using: &random)
            let longestGap = Int64.random(in: 1...60, using: &random)
            var time = Int64.random(in: 0...2000, using: &random)
            let changes = (0..<300).map { _ in
                time += Int64.random(in: 0...longestGap, using: &random)
                return time
            }
            let simulation = Simulation(of: changes, duration: duration)
            #expect(simulation.delays.count == changes.count)
            // A change during a run waits for its end first.
            let limit = duration + (duration <= 10 ? 100 : 500)
            #expect(simulation.delays.allSatisfy { (0...limit).contains($0) })
            for (run, next) in zip(simulation.runs, simulation.runs.dropFirst()) {
                #expect(next.start - run.end >= min(max(4 * duration, 10), 500))
            }
        }
    }

    @Test(
        "1,000 commits in a row cause two runs and one more for each time that a burst may delay a run",
        arguments: [0, 1, 3, 10, 20, 40, 80] as [Int64]
    )
    func thousandCommits(duration: Int64) {
        for commitsPerMillisecond in [100, 20, 10, 5, 2, 1] as [Int64] {
            let simulation = Simulation(of: (0..<1000).map { 2000 + $0 / commitsPerMillisecond }, duration: duration)
            let maximumDelay = min(max(10 * duration, 100), 500)
            #expect(simulation.runs.count <= 2 + Int(1000 / commitsPerMillisecond / maximumDelay))
            #expect(simulation.delays.count == 1000)
        }
    }
}
