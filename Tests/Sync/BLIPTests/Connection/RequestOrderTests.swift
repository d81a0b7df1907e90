import TestSupport
import Testing

@testable import BLIP

@Suite("The order of requests")
struct RequestOrderTests {
    private var raw = RawFrames()

    private func ordered(_ frames: Int) -> OutgoingMessage {
        OutgoingMessage(["Profile": "list"], body: noise(frames * 16_000), isUrgent: true, isOrdered: true)
    }

    private func receiver() -> Peer {
        var options = BLIPOptions()
        options.orderedProfile = "list"
        return Peer(options)
    }

    @Test("ordered messages are sent one after the other, although a shorter one could overtake")
    func sending() {
        let peer = Peer()
        for frames in [3, 1, 2] { peer.send(ordered(frames)) }
        peer.send(OutgoingMessage(isUrgent: true))
        #expect(peer.frames().map { header(of: $0).number } == [1, 2, 1, 1, 3, 4, 4])
        peer.send(ordered(1))
        #expect(peer.frames().map { header(of: $0).number } == [5])
    }

    @Test("a disconnected connection reports the ordered messages that were not sent")
    func disconnecting() {
        let peer = Peer()
        let tokens = [3, 1, 2].map { peer.send(ordered($0)) }
        _ = peer.nextFrame()
        peer.disconnect()
        #expect(peer.disconnected == tokens)
    }

    @Test("a complete request waits for earlier ones of the ordered profile, and others do not")
    func receiving() throws {
        let peer = receiver()
        var raw = raw
        #expect(try peer.receive(raw.request(1, "Profile", "list", flags: 0x40)).isEmpty)
        #expect(try peer.receive(raw.request(2, "Profile", "list")).isEmpty)
        #expect(try peer.receive(raw.request(3, "Profile", "other")).map(\.number) == [3])
        #expect(try peer.receive(raw.request(4, "Profile", "other", flags: 0x40)).isEmpty)
        #expect(try peer.receive(raw.request(5, "Profile", "list", flags: 0x40)).isEmpty)
        #expect(try peer.receive(raw.request(6, "Profile", "list", flags: 0x20)).isEmpty)
        #expect(try peer.receive(raw.frame(1, 0, [7])).map(\.number) == [1, 2])
        #expect(try peer.receive(raw.frame(5, 0, [7])).map(\.number) == [5, 6])
        #expect(try peer.receive(raw.frame(4, 0, [7])).map(\.number) == [4])
    }

    @Test("a complete request waits until the profiles of earlier ones are known")
    func unknownProfile() throws {
        let peer = receiver()
        var raw = raw
        let properties = block(["Profile", "other"])
        #expect(try peer.receive(raw.frame(1, 0x40, Array(properties.prefix(4)))).isEmpty)
        #expect(try peer.receive(raw.request(2, "Profile", "list")).isEmpty)
        #expect(try peer.receive(raw.frame(1, 0x40, Array(properties.dropFirst(4)))).map(\.number) == [2])
        #expect(try peer.receive(raw.frame(1, 0, [1])).map(\.number) == [1])
    }

    @Test("without an ordered profile, requests are received in the order in which they are complete")
    func unordered() throws {
        let peer = Peer()
        var raw = raw
        #expect(try peer.receive(raw.request(1, "Profile", "list", flags: 0x40)).isEmpty)
        #expect(try peer.receive(raw.request(2, "Profile", "list")).map(\.number) == [2])
    }

    @Test("random requests of an ordered profile are received in order, whether or not they were sent one after the other")
    func random() throws {
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        for isOrdered in [false, true] {
            let (one, other) = (Peer(), receiver())
            var sent = 0
            for _ in 0..<300 {
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    let properties: Properties = ["Profile": Bool.random(using: &generator) ? "list" : "other", "n": "\(sent)"]
                    let body = noise(Int.random(in: 0..<100_000, using: &generator))
                    let isUrgent = Bool.random(using: &generator)
                    one.send(OutgoingMessage(properties, body: body, isUrgent: isUrgent, isNoReply: true, isOrdered: isOrdered))
                    sent += 1
                } else if let frame = one.nextFrame() {
                    try other.receive(frame)
                }
            }
            try exchange(one, other)
            #expect(other.requests.count == sent)
            let numbers = other.requests.filter { $0.profile == "list" }.map(\.number)
            #expect(numbers == numbers.sorted() && numbers.count > 10)
        }
    }
}
