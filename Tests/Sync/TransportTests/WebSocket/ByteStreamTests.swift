#if Replication
import SyncCore
import Testing
import Transport
import TransportFuzzing

@Suite("WebSocket frames over a byte stream")
struct ByteStreamTests {
    @Test("a byte stream delivers nothing after a protocol violation")
    func oneEnd() {
        var stream = WebSocketByteStream(isClient: true)
        let good = FrameBytes.frame(2, [1, 2, 3], isMasked: false)
        let items = stream.receive(good + FrameBytes.frame(2, [4]))
        guard case .frame(let message)? = items.first, case .closed(let closure, let answer)? = items.last, items.count == 2
        else {
            Issue.record("\(items)")
            return
        }
        #expect(message == [1, 2, 3])
        #expect(closure.error?.code == 1002 && !closure.isByPeer)
        #expect(answer?.first == 0x88)
        for bytes in [good, FrameBytes.frame(8, [3, 232], isMasked: false), FrameBytes.frame(2, [4])] {
            #expect(stream.receive(bytes).isEmpty)
        }
    }

    @Test(
        "after this side's close frame, neither a close frame nor a violation is answered",
        arguments: [[0x88, 2, 3, 232], [0x82, 0x80]]
    )
    func closing(bytes: [UInt8]) {
        var stream = WebSocketByteStream(isClient: true)
        _ = stream.close(code: 1000, reason: "")
        guard case .closed(_, answer: nil)? = stream.receive(bytes).first else {
            Issue.record("the stream has not ended without an answer")
            return
        }
    }
}
#endif
