import Foundation
import Synchronization

@testable import CouchbaseLiteSwift

/// A reported misuse.
struct ReportedMisuse: Equatable {
    let name: String
    let reason: String
}

/// Only one at a time, because the process has one handler.
private let oneAtATime = NSLock()

/// Runs `body` on a separate thread and returns the misuse that it caused; nil if it has returned.
///
/// A misuse cannot be caught, so its thread is blocked permanently.
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
        // Only this thread uses the body.
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
