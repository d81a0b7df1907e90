package import TestSupport

/// A world with a clock of its own, in which everything happens in the order of its times: the same seed gives the same run.
///
/// Nothing waits and nothing runs beside anything else. Databases are real, everything between them is simulated.
package final class Simulation {
    /// Something that will happen.
    package struct Appointment: Hashable {
        fileprivate let number: Int
    }

    private struct Entry {
        let time: Duration
        let number: Int
    }

    /// The time since the simulation began.
    package private(set) var now: Duration = .zero
    /// What decides whatever is left to chance.
    package var random: SeededGenerator
    package let seed: UInt64
    /// Things are done in the order of their times, and at the same time in the order in which they were asked for.
    private var heap: [Entry] = []
    private var works: [Int: () -> Void] = [:]
    private var count = 0
    /// Are called before everything that happens: they see to what follows from the last.
    private var observers: [() -> Void] = []

    package init(seed: UInt64) {
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    /// How many things will still happen.
    package var appointmentCount: Int { works.count }

    /// Has `work` done after that time.
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

    /// Has `work` done whenever something may have happened.
    package func afterEachStep(_ work: @escaping () -> Void) {
        observers.append(work)
    }

    /// Does what comes next. False when nothing does.
    @discardableResult
    package func step() -> Bool {
        // A test may have done something since.
        for observer in observers { observer() }
        while let entry = pop() {
            guard let work = works.removeValue(forKey: entry.number) else { continue }
            now = entry.time
            work()
            return true
        }
        return false
    }

    /// Goes on until a condition holds.
    ///
    /// - Throws: ``SimulationError`` when nothing more happens, or the time is over, before it does.
    package func run(within limit: Duration = .seconds(3600), until isDone: () -> Bool) throws {
        let end = now + limit
        while !isDone() {
            guard step() else { throw SimulationError(seed: seed, time: now, what: "nothing more happens") }
            guard now <= end else { throw SimulationError(seed: seed, time: now, what: "it takes too long") }
        }
    }

    /// Goes on for that time.
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

/// Why a simulation did not get where it should. Its seed repeats it.
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
