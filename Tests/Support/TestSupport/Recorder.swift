import Dispatch
import Foundation

/// Collects the notifications of listeners, and lets the test wait for them.
package final class Recorder<Element: Sendable>: @unchecked Sendable {
    // Unchecked: `elements` and `waiting` are accessed only while `condition` is locked.
    private let condition = NSCondition()
    private var elements: [Element] = []
    private var waiting: [Int: Waiting] = [:]
    private var lastNumber = 0

    /// A task that waits for elements.
    private struct Waiting {
        let isEnough: @Sendable ([Element]) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    package init() {}

    package func append(_ element: Element) {
        let done = condition.withLock {
            elements.append(element)
            condition.broadcast()
            let done = waiting.filter { $0.value.isEnough(elements) }
            for number in done.keys { waiting[number] = nil }
            return done.values
        }
        for task in done { task.continuation.resume(returning: true) }
    }

    /// Suspends the task until `isEnough`, without blocking its thread, which what it waits for may need. Returns whether
    /// that has happened: like ``wait(until:)`` it gives up after ``waitLimit``.
    package func reaches(_ isEnough: @escaping @Sendable ([Element]) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = condition.withLock { () -> Int? in
                guard !isEnough(elements) else { return nil }
                lastNumber += 1
                waiting[lastNumber] = Waiting(isEnough: isEnough, continuation: continuation)
                return lastNumber
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + waitLimit) { [weak self] in
                guard let self, let task = condition.withLock({ waiting.removeValue(forKey: number) }) else { return }
                task.continuation.resume(returning: false)
            }
        }
    }

    /// The elements received so far.
    package var all: [Element] { condition.withLock { elements } }

    /// Waits until `isEnough`, and returns the received elements. It stops waiting after ``waitLimit``.
    @discardableResult
    package func wait(until isEnough: ([Element]) -> Bool) -> [Element] {
        let deadline = Date(timeIntervalSinceNow: waitLimit)
        return condition.withLock {
            while !isEnough(elements), condition.wait(until: deadline) {}
            return elements
        }
    }

    @discardableResult
    package func wait(forCount count: Int) -> [Element] {
        wait { $0.count >= count }
    }
}
