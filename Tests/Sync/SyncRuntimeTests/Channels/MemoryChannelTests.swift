#if Replication
import SyncCore
import TestSupport
import TestTraits
import Testing

@testable import SyncRuntime

@Suite("In-memory channels", .ownThreads)
struct MemoryChannelTests {
    /// The events of one end, in words.
    private func listen(to channel: MemoryChannel) -> Recorder<String> {
        let notified = Recorder<String>()
        channel.open { event in
            switch event {
            case .opened(let handshake): notified.append("opened \(handshake.subprotocol ?? "")")
            case .frame(let bytes): notified.append("frame \(bytes.first ?? 0)")
            case .writable: notified.append("writable")
            case .closed(let closure):
                notified.append("closed \(closure.code ?? 0) \(closure.isByPeer) \(closure.error?.code ?? 0)")
            }
        }
        return notified
    }

    @Test("an in-memory channel delivers frames in order, followed by its closing")
    func frames() {
        let (active, passive) = MemoryChannel.pair(subprotocol: "p")
        #expect(active.send([1]))
        let (first, second) = (listen(to: active), listen(to: passive))
        for byte in 2...100 { #expect(active.send([UInt8(byte)])) }
        #expect(passive.send([200]))
        active.close(code: 1000, reason: "")
        second.wait(forCount: 102)
        #expect(second.all == ["opened p"] + (1...100).map { "frame \($0)" } + ["closed 1000 true 0"])
        first.wait(forCount: 3)
        #expect(first.all == ["opened p", "frame 200", "closed 1000 false 0"])
    }

    @Test("only the active end of an in-memory channel learns whether the other side serves version vectors", arguments: [true, false])
    func servesVersions(_ isServing: Bool) {
        let (active, passive) = MemoryChannel.pair(subprotocol: "p", servesVersions: isServing)
        let notified = Recorder<String>()
        for (name, channel) in [("active", active), ("passive", passive)] {
            channel.open { event in
                guard case .opened(let handshake) = event else { return }
                notified.append("\(name) \(handshake.servesVersions.map { "\($0)" } ?? "unknown")")
            }
        }
        notified.wait(forCount: 2)
        #expect(notified.all.sorted() == ["active \(isServing)", "passive unknown"])
        active.cancel()
    }

    @Test("an in-memory channel refuses further frames until the other end reads")
    func backPressure() {
        let (active, passive) = MemoryChannel.pair(subprotocol: "p")
        let (first, second) = (listen(to: active), listen(to: passive))
        second.wait(forCount: 1)
        passive.setReading(false)
        let frame = [UInt8](repeating: 7, count: 16 << 10)
        var sent = 0
        repeat { sent += 1 } while active.send(frame) && sent < 100
        #expect(sent == 5)
        #expect(first.all.contains("writable") == false)
        passive.setReading(true)
        first.wait { $0.contains("writable") }
        second.wait(forCount: 6)
        #expect(second.all.count == 6)
        active.cancel()
    }

    @Test("cancelling an in-memory channel closes both ends, even one that does not read")
    func cancelling() {
        let (active, passive) = MemoryChannel.pair(subprotocol: "p")
        let (first, second) = (listen(to: active), listen(to: passive))
        second.wait(forCount: 1)
        passive.setReading(false)
        active.cancel()
        active.close(code: 1000, reason: "")
        second.wait(forCount: 2)
        first.wait(forCount: 2)
        #expect(second.all.last == "closed 0 true 1006")
        #expect(first.all.last == "closed 0 false 1006")
        #expect(active.send([1]))
    }
}
#endif
