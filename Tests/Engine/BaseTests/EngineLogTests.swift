import Foundation
import Synchronization
import Testing

@testable import Base

@Suite("Engine log")
struct EngineLogTests {
    private final class Received: Sendable {
        let messages = Mutex<[String]>([])
    }

    private let log = EngineLog()
    private let received = Received()

    private func receive(wanting isWanted: (EventLevel, EventDomain) -> Bool) {
        log.setReceiver { [received] level, domain, message in
            received.messages.withLock { $0.append("\(level) \(domain) \(message())") }
        }
        log.setWanted(isWanted)
    }

    @Test("the engine log delivers exactly the requested levels of the requested domains")
    func everyCombination() {
        for wantedDomain in EventDomain.allCases {
            for wantedLevel in EventLevel.allCases {
                receive { $0 == wantedLevel && $1 == wantedDomain }
                for domain in EventDomain.allCases {
                    for level in EventLevel.allCases { log.log(level, domain) { "!" } }
                }
                #expect(received.messages.withLock { $0.popLast() } == "\(wantedLevel) \(wantedDomain) !")
                #expect(received.messages.withLock { $0.isEmpty })
                #expect(log.isEnabled(wantedLevel, wantedDomain))
            }
        }
    }

    @Test("the engine log does not evaluate a message that is not requested")
    func unwanted() {
        func message() -> String {
            Issue.record("the message was made")
            return ""
        }
        log.log(.error, .database, message)
        receive { level, _ in level == .error }
        log.log(.warning, .database, message)
        #expect(received.messages.withLock { $0.isEmpty })
    }

    @Test("a million messages can be logged on a thread with 512 KiB of stack")
    func manyMessages() async {
        final class Counter: Sendable {
            let count = Atomic(0)
        }
        let counter = Counter()
        log.setReceiver { _, _, _ in counter.count.add(1, ordering: .relaxed) }
        log.setWanted { _, _ in true }
        await withCheckedContinuation { continuation in
            let thread = Thread { [log] in
                for _ in 0..<1_000_000 { log.log(.info, .database) { "!" } }
                continuation.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(counter.count.load(ordering: .relaxed) == 1_000_000)
    }
}
