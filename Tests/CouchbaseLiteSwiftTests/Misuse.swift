import Foundation
import Synchronization

@testable import CouchbaseLiteSwift

/// What a misuse reported.
struct ReportedMisuse: Equatable {
    let name: String
    let reason: String
}

/// One at a time: there is one handler for the process.
private let oneAtATime = NSLock()

/// Runs `body` on a thread of its own and returns the misuse it ran into; nil when it came to its end.
///
/// A misuse cannot be caught, so its thread is parked for good.
func misuse(_ body: @escaping () -> Void) -> ReportedMisuse? {
    oneAtATime.withLock {
        let done = DispatchSemaphore(value: 0)
        let reported = Mutex<ReportedMisuse?>(nil)
        let identity = Mutex<ObjectIdentifier?>(nil)
        let earlier = _CBLMisuse.handler
        defer { _CBLMisuse.handler = earlier }
        _CBLMisuse.handler = { name, reason in
            guard identity.withLock({ $0 == ObjectIdentifier(Thread.current) }) else { return }
            reported.withLock { $0 = ReportedMisuse(name: name, reason: reason) }
            done.signal()
            while true { Thread.sleep(forTimeInterval: 3600) }
        }
        // The body is used by this one thread only.
        nonisolated(unsafe) let body = body
        Thread.detachNewThread {
            identity.withLock { $0 = ObjectIdentifier(Thread.current) }
            body()
            done.signal()
        }
        done.wait()
        return reported.withLock { $0 }
    }
}

let invalidArgument = "NSInvalidArgumentException"
let inconsistency = "NSInternalInconsistencyException"
let outOfRange = "NSRangeException"
