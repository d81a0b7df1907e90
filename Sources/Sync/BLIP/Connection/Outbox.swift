/// The messages that have frames to send, in sending order (Replication 2.7).
///
/// Urgent messages alternate with one ordinary frame in between, and none overtakes a message that has not begun. Ordered messages are sent
/// one after the other.
struct Outbox {
    /// A ring buffer: the messages are at `first`, `first + 1`, … modulo the number of slots, a power of two.
    private var slots: [OutgoingTransfer?] = Array(repeating: nil, count: 16)
    private var first = 0
    private(set) var count = 0
    private var urgentCount = 0
    /// Whether an ordered message is queued, or has begun and is not complete.
    private var isSendingOrdered = false
    /// The ordered messages after it.
    private var laterOrdered: [OutgoingTransfer] = []

    var isEmpty: Bool { count == 0 }

    var isUrgentNext: Bool { count > 0 && self[0].isUrgent }

    var transfers: [OutgoingTransfer] { (0..<count).map { self[$0] } + laterOrdered }

    mutating func removeFirst() -> OutgoingTransfer? {
        guard count > 0, let transfer = slots[first] else { return nil }
        slots[first] = nil
        first = (first + 1) & (slots.count - 1)
        count -= 1
        if transfer.isUrgent { urgentCount -= 1 }
        return transfer
    }

    /// Queues a message that is new or has more frames to send.
    mutating func enqueue(_ transfer: OutgoingTransfer) {
        if transfer.isOrdered, !transfer.hasBegun {
            guard !isSendingOrdered else { return laterOrdered.append(transfer) }
            isSendingOrdered = true
        }
        insert(transfer, at: transfer.isUrgent && count > 1 ? placeOfUrgent(hasBegun: transfer.hasBegun) : count)
    }

    /// Notes that the last frame of a message was sent.
    mutating func noteComplete(_ transfer: OutgoingTransfer) {
        guard transfer.isOrdered else { return }
        isSendingOrdered = false
        if !laterOrdered.isEmpty { enqueue(laterOrdered.removeFirst()) }
    }

    /// Returns the position for an urgent message among at least two others.
    private func placeOfUrgent(hasBegun: Bool) -> Int {
        // If no urgent message is queued, the search below finds no position for a message that has begun.
        guard urgentCount > 0 || !hasBegun else { return 1 }
        for index in stride(from: count - 1, through: 0, by: -1) {
            let other = self[index]
            if other.isUrgent {
                // All messages after this one are ordinary: one of them goes in between.
                return min(index + 2, count)
            }
            if !hasBegun, !other.hasBegun { return index + 1 }
        }
        return 1
    }

    private mutating func insert(_ transfer: OutgoingTransfer, at place: Int) {
        if count == slots.count { grow() }
        let mask = slots.count - 1
        if place < count / 2 {
            first = (first - 1) & mask
            for index in 0..<place { slots[(first + index) & mask] = slots[(first + index + 1) & mask] }
        } else {
            for index in stride(from: count, to: place, by: -1) {
                slots[(first + index) & mask] = slots[(first + index - 1) & mask]
            }
        }
        slots[(first + place) & mask] = transfer
        count += 1
        if transfer.isUrgent { urgentCount += 1 }
    }

    private mutating func grow() {
        var larger: [OutgoingTransfer?] = []
        larger.reserveCapacity(slots.count * 2)
        larger.append(contentsOf: slots[first...])
        larger.append(contentsOf: slots[..<first])
        larger.append(contentsOf: repeatElement(nil, count: slots.count))
        slots = larger
        first = 0
    }

    private subscript(index: Int) -> OutgoingTransfer {
        // `count` slots from `first` on are filled.
        slots[(first + index) & (slots.count - 1)].unsafelyUnwrapped
    }
}
