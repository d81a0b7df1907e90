#if Replication
import Dispatch

/// A value that is used on one serial queue only. This is checked at every use.
///
/// `@unchecked Sendable`: because of the check, one thread at a time uses the value.
final class QueueConfined<Value>: @unchecked Sendable {
    private let queue: DispatchQueue
    private var stored: Value

    init(_ value: sending Value, to queue: DispatchQueue) {
        stored = value
        self.queue = queue
    }

    var value: Value {
        _read {
            dispatchPrecondition(condition: .onQueue(queue))
            yield stored
        }
        _modify {
            dispatchPrecondition(condition: .onQueue(queue))
            yield &stored
        }
    }
}
#endif
