import TestSupport
import Testing

@testable import BLIP

@Suite("Scheduling")
struct SchedulingTests {
    private func message(_ frames: Int, isUrgent: Bool = false) -> OutgoingMessage {
        OutgoingMessage(body: noise(frames * 16_000), isUrgent: isUrgent)
    }

    @Test("messages take turns frame by frame, and are numbered with their first frame")
    func roundRobin() {
        let peer = Peer()
        peer.send(message(3))
        peer.send(message(2))
        #expect(peer.frames().map { header(of: $0).number } == [1, 2, 1, 2, 1])
    }

    @Test("an urgent message overtakes started ordinary messages, alternating with one of their frames")
    func urgent() {
        let peer = Peer()
        peer.send(message(6))
        peer.send(message(6))
        for _ in 0..<2 { _ = peer.nextFrame() }
        peer.send(message(3, isUrgent: true))
        let numbers = peer.frames().map { header(of: $0).number }
        #expect(numbers.prefix(6) == [1, 3, 2, 3, 1, 3])
    }

    @Test("an urgent message does not overtake a message that has not started")
    func noOvertaking() {
        let peer = Peer()
        for _ in 0..<3 { peer.send(OutgoingMessage(["n": "\(0)"])) }
        peer.send(OutgoingMessage(["urgent": "yes"], isUrgent: true))
        peer.send(OutgoingMessage())
        #expect(peer.frames().map { header(of: $0).flags } == [0, 0, 0, 0x10, 0])
    }

    @Test("frames of ordinary messages are small while an urgent message is next")
    func smallFrames() {
        let peer = Peer()
        peer.send(message(6))
        peer.send(message(2, isUrgent: true))
        let frames = peer.frames()
        #expect(frames.map { header(of: $0).flags & 0x10 } == [0, 0x10, 0, 0x10, 0, 0, 0, 0, 0, 0])
        #expect(frames.prefix(4).map(\.count) == [4096, 16384, 4096, frames[3].count])
        #expect(frames.allSatisfy { $0.count <= 16384 })
    }

    /// The rules of Replication 2.7, implemented with an array.
    private struct Model {
        var queue: [OutgoingTransfer] = []

        mutating func enqueue(_ transfer: OutgoingTransfer) {
            guard transfer.isUrgent, queue.count > 1 else { return queue.append(transfer) }
            for index in queue.indices.reversed() {
                if queue[index].isUrgent {
                    let next = index + 1
                    return queue.insert(transfer, at: next < queue.count && !queue[next].isUrgent ? next + 1 : next)
                }
                if !transfer.hasBegun, !queue[index].hasBegun { return queue.insert(transfer, at: index + 1) }
            }
            queue.insert(transfer, at: 1)
        }
    }

    @Test("random messages are queued in the order of the specified rules")
    func model() {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        var outbox = Outbox()
        let memory = MemoryAccount(MemoryBudget(limit: .max), limit: .max)
        var model = Model()
        var buffer: [UInt8] = []
        for step in 0..<4000 {
            // Long and short queues alternate.
            if model.queue.isEmpty || Int.random(in: 0..<10, using: &generator) < (step / 500 % 2 == 0 ? 7 : 3) {
                let urgency = Int.random(in: 0..<3, using: &generator) == 0
                let transfer = OutgoingTransfer(OutgoingMessage(), type: .request, isUrgent: urgency, memory: memory)
                outbox.enqueue(transfer)
                model.enqueue(transfer)
            } else {
                let expected = model.queue.removeFirst()
                let transfer = outbox.removeFirst()
                #expect(transfer === expected)
                #expect(outbox.isUrgentNext == (model.queue.first?.isUrgent ?? false))
                if Bool.random(using: &generator) {
                    if !expected.hasBegun { expected.begin(number: 1, compresses: false, buffer: &buffer) }
                    outbox.enqueue(expected)
                    model.enqueue(expected)
                }
            }
            #expect(outbox.count == model.queue.count)
            if step % 50 == 0 {
                #expect(outbox.transfers.map { ObjectIdentifier($0) } == model.queue.map { ObjectIdentifier($0) })
            }
        }
    }
}
