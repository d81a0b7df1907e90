package import TestSupport

/// A discrete event simulation with its own clock: the same seed gives the same run.
///
/// Nothing waits, and nothing runs concurrently. Databases are real; the connections between them are simulated.
package final class Simulation {
    /// Identifies a scheduled call.
    package struct Appointment: Hashable {
        fileprivate let number: Int
    }

    private struct Entry {
        let time: Duration
        let number: Int
    }

    /// The time since the simulation began.
    package private(set) var now: Duration = .zero
    /// The source of all random decisions.
    package var random: SeededGenerator
    package let seed: UInt64
    /// Scheduled calls, ordered by time, and for the same time in the order in which they were scheduled.
    private var heap: [Entry] = []
    private var works: [Int: () -> Void] = [:]
    private var count = 0
    /// Called before each step, to handle the effects of the previous one.
    private var observers: [() -> Void] = []

    package init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    /// The number of scheduled calls.
    package var appointmentCount: Int { works.count }

    /// Schedules `work` to be called after `delay`.
    @discardableResult
    package func after(_ delay: Duration, _ work: @escaping () -> Void) -> Appointment {
        count += 1
        works[count] = work
        push(Entry(time: now + max(delay, .zero), number: count))
        return Appointment(number: count)
    }

    package func cancel(_ appointment: Appointment) {
        works[appointment.number] = nil
    }

    /// Calls `work` before each step.
    package func afterEachStep(_ work: @escaping () -> Void) {
        observers.append(work)
    }

    /// Runs the next scheduled call. Returns `false` if there is none.
    @discardableResult
    package func step() -> Bool {
        // The test may have changed something since the last step.
        for observer in observers { observer() }
        while let entry = pop() {
            guard let work = works.removeValue(forKey: entry.number) else { continue }
            now = entry.time
            work()
            return true
        }
        return false
    }

    /// Runs until a condition holds.
    ///
    /// - Throws: ``SimulationError`` if nothing more is scheduled, or the time limit is exceeded, before the condition holds.
    package func run(within limit: Duration = .seconds(3600), until isDone: () -> Bool) throws {
        let end = now + limit
        while !isDone() {
            guard step() else { throw SimulationError(seed: seed, time: now, what: "nothing more happens") }
            guard now <= end else { throw SimulationError(seed: seed, time: now, what: "it takes too long") }
        }
    }

    /// Runs for `time`.
    package func run(for time: Duration) {
        var isOver = false
        after(time) { isOver = true }
        while !isOver, step() {}
    }

    // MARK: The heap

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].number) < (heap[right].time, heap[right].number)
    }

    private func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, isEarlier(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private func pop() -> Entry? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if heap.isEmpty { return first }
        heap[0] = last
        var parent = 0
        while 2 * parent + 1 < heap.count {
            var child = 2 * parent + 1
            if child + 1 < heap.count, isEarlier(child + 1, child) { child += 1 }
            guard isEarlier(child, parent) else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}

/// The reason why a simulation did not reach its condition, with the seed that reproduces it.
package struct SimulationError: Error, CustomStringConvertible {
    package let seed: UInt64
    package let time: Duration
    package let what: String

    package init(seed: UInt64, time: Duration, what: String) {
        self.seed = seed
        self.time = time
        self.what = what
    }

    package var description: String { "\(what) at \(time) (seed \(seed))" }
}
