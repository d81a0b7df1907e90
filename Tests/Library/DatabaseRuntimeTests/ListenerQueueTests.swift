import Foundation
import Testing

@testable import DatabaseRuntime

@Suite("Queues of listeners")
struct ListenerQueueTests {
    private let queues = ListenerQueues()

    @Test("listeners on one queue of the app share a serial queue, which is released with the last of them")
    func sharing() {
        let target = DispatchQueue(label: "target")
        weak var released: DispatchQueue?
        do {
            let queue = queues.queue(to: target)
            released = queue
            let isShared = queues.queue(to: target) === queue
            let isSharedWithOthers = queues.queue(to: DispatchQueue(label: "other")) === queue
            #expect(isShared && !isSharedWithOthers)
        }
        #expect(released == nil)
    }

    @Test("all listeners on the main queue share a serial queue")
    func main() {
        let queue = queues.queue(to: .main)
        let isShared = queues.queue(to: .main) === queue
        #expect(isShared)
    }
}
