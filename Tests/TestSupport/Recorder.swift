import Foundation

/// Collects what listeners say, and lets the test wait until that has come.
package final class Recorder<Element: Sendable>: @unchecked Sendable {
    // Unchecked: `elements` is touched only while `condition` is locked.
    private let condition = NSCondition()
    private var elements: [Element] = []

    package init() {}

    package func append(_ element: Element) {
        condition.withLock {
            elements.append(element)
            condition.broadcast()
        }
    }

    /// What has come so far.
    package var all: [Element] { condition.withLock { elements } }

    /// Waits until `isEnough`, and returns what has come. A quarter of an hour later it gives up, so that a test that
    /// fails also ends: what it waits for may run in the pool, behind all other tests.
    @discardableResult
    package func wait(until isEnough: ([Element]) -> Bool) -> [Element] {
        let deadline = Date(timeIntervalSinceNow: 900)
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
