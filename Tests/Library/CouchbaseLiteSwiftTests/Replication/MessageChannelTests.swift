#if Replication
import SyncCore
import Foundation
import Replication
import SyncRuntime
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

/// Two connected connections of an app: data sent through one arrives at the other, split into pieces.
final class PipedConnection: MessageEndpointConnection, @unchecked Sendable {
    // Unchecked: the variables are accessed on the queue only.
    private let queue = DispatchQueue(label: "test.pipe")
    private weak var other: PipedConnection?
    private var connection: (any ReplicatorConnection)?
    private var early: [Data] = []
    private let pieceSize: Int
    private var isClosed = false
    let closings = Recorder<String>()

    private init(pieceSize: Int) {
        self.pieceSize = pieceSize
    }

    /// - Parameter pieceSize: The number of bytes that arrive at a time.
    static func pair(pieceSize: Int = .max) -> (PipedConnection, PipedConnection) {
        let pair = (PipedConnection(pieceSize: pieceSize), PipedConnection(pieceSize: pieceSize))
        pair.0.other = pair.1
        pair.1.other = pair.0
        return pair
    }

    func open(connection: any ReplicatorConnection, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        queue.async { [self] in
            self.connection = connection
            completion(true, nil)
            for data in early { connection.receive(message: .fromData(data)) }
            early = []
        }
    }

    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        let data = message.toData()
        queue.async { [self] in
            other?.arrive(data)
            completion(true, nil)
        }
    }

    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
        closings.append(error == nil ? "good" : "bad")
        queue.async { [self] in
            isClosed = true
            connection = nil
            other?.hangUp()
            completion()
        }
    }

    private func arrive(_ data: Data) {
        queue.async { [self] in
            var rest = data
            repeat {
                let piece = Data(rest.prefix(pieceSize))
                rest = rest.dropFirst(pieceSize)
                if let connection { connection.receive(message: .fromData(piece)) } else { early.append(piece) }
            } while !rest.isEmpty
        }
    }

    private func hangUp() {
        queue.async { [self] in
            connection?.close(error: nil)
            connection = nil
        }
    }

    /// The transport fails.
    func fail(isRecoverable: Bool) {
        queue.async { [self] in
            connection?.close(error: MessagingError(error: CocoaError(.fileReadUnknown), isRecoverable: isRecoverable))
        }
    }
}

/// A connection that never completes a send, and is never reported as open.
final class StuckConnection: MessageEndpointConnection, Sendable {
    /// For each close, whether it was a normal close.
    let closings = Recorder<Bool>()
    private let opens: Bool

    init(opens: Bool) {
        self.opens = opens
    }

    func open(connection: any ReplicatorConnection, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        if opens { completion(true, nil) }
    }

    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) {
        closings.append(error == nil)
        completion()
    }

    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {}
}

/// Records the events at one end of a connection.
private final class ReceivingEnd: ReplicatorConnection, Sendable {
    let messages = Recorder<[UInt8]>()
    let closings = Recorder<Bool>()

    func close(error: MessagingError?) { closings.append(error == nil) }

    func receive(message: Message) { messages.append([UInt8](message.toData())) }
}

/// A connection whose sends the test completes.
final class ManualConnection: MessageEndpointConnection, Sendable {
    private struct Completion: Sendable {
        let complete: @Sendable (Bool, MessagingError?) -> Void
    }

    let sent = Recorder<[UInt8]>()
    private let completions = Recorder<Completion>()

    func open(connection: any ReplicatorConnection, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        completion(true, nil)
    }

    func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) { completion() }

    func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
        completions.append(Completion(complete: completion))
        sent.append([UInt8](message.toData()))
    }

    /// Completes a send, counted from zero.
    func completeSend(_ index: Int) {
        completions.all[index].complete(true, nil)
    }
}

@Suite("Channels over a custom transport", .ownThreads)
struct MessageChannelTests {
    private func listen(to channel: MessageChannel) -> Recorder<FrameChannelEvent> {
        let notified = Recorder<FrameChannelEvent>()
        channel.open { notified.append($0) }
        return notified
    }

    private func frames(_ events: [FrameChannelEvent]) -> [[UInt8]] {
        events.compactMap { if case .frame(let bytes) = $0 { bytes } else { nil } }
    }

    private func closure(_ events: [FrameChannelEvent]) -> ChannelClosure? {
        if case .closed(let closure)? = events.last { closure } else { nil }
    }

    private func isClosed(_ events: [FrameChannelEvent]) -> Bool { closure(events) != nil }

    @Test(
        "a message channel delivers whole frames in order, however the transport splits the data",
        arguments: [
            (ProtocolType.messageStream, Int.max), (.byteStream, .max), (.byteStream, 1), (.byteStream, 7),
        ]
    )
    func frames(_ type: ProtocolType, _ pieceSize: Int) {
        let (near, far) = PipedConnection.pair(pieceSize: pieceSize)
        let active = MessageChannel(near, type, isActive: true)
        let passive = MessageChannel(far, type, isActive: false)
        let (first, second) = (listen(to: active), listen(to: passive))
        first.wait(forCount: 1)
        second.wait(forCount: 1)
        let sent = (0..<20).map { [UInt8](repeating: UInt8($0), count: 1 + $0 * 37) }
        for frame in sent {
            active.send(frame)
            passive.send(frame)
        }
        second.wait { frames($0).count == 20 }
        first.wait { frames($0).count == 20 }
        #expect(frames(second.all) == sent)
        #expect(frames(first.all) == sent)
        active.close(code: 1000, reason: "bye")
        second.wait(until: isClosed)
        first.wait(until: isClosed)
        #expect(closure(first.all)?.isByPeer == false)
        #expect(closure(second.all)?.isByPeer == true)
        #expect(closure(second.all)?.code == 1000)
        #expect(closure(second.all)?.error == nil)
        #expect(near.closings.wait(forCount: 1) == ["good"])
    }

    @Test("a message channel signals backpressure, and delivers frames received while reading was paused")
    func backPressure() {
        let (near, far) = PipedConnection.pair()
        let active = MessageChannel(near, .messageStream, isActive: true)
        let passive = MessageChannel(far, .messageStream, isActive: false)
        let (first, second) = (listen(to: active), listen(to: passive))
        first.wait(forCount: 1)
        let frame = [UInt8](repeating: 1, count: 65 << 10)
        #expect(!active.send(frame))
        first.wait { $0.contains { if case .writable = $0 { true } else { false } } }
        second.wait { frames($0).count == 1 }
        // Frames that arrive while reading is paused are delivered later.
        passive.setReading(false)
        active.send([1])
        active.send([2])
        passive.setReading(true)
        second.wait { frames($0).count == 3 }
        active.cancel()
    }

    @Test("frames received before a channel is closed are delivered first, even if reading is paused")
    func lastFrames() {
        let (near, _) = PipedConnection.pair()
        let channel = MessageChannel(near, .messageStream, isActive: true)
        let notified = listen(to: channel)
        notified.wait(forCount: 1)
        channel.setReading(false)
        for number in 0..<3 { channel.receive(message: .fromData(Data([UInt8(number)]))) }
        channel.close(error: nil)
        notified.wait(until: isClosed)
        #expect(frames(notified.all) == [[0], [1], [2]])
    }

    @Test("a channel is closed if too many messages arrive while reading is paused, even if they are empty")
    func emptyMessages() {
        let (near, _) = PipedConnection.pair()
        var limits = MessageChannel.Limits()
        limits.maximumUnread = 1000
        let channel = MessageChannel(near, .messageStream, isActive: true, limits)
        let notified = listen(to: channel)
        notified.wait(forCount: 1)
        channel.setReading(false)
        for _ in 0..<20 { channel.receive(message: .fromData(Data())) }
        // Does nothing if the channel is closed.
        channel.close(code: 1000, reason: "")
        notified.wait(until: isClosed)
        #expect(closure(notified.all)?.code == 1009)
    }

    @Test("frames stay in order while reading is paused and resumed concurrently")
    func order() async {
        let (near, _) = PipedConnection.pair()
        let channel = MessageChannel(near, .messageStream, isActive: true)
        let notified = listen(to: channel)
        notified.wait(forCount: 1)
        let sent = (0..<2000).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        await withTaskGroup { group in
            group.addTask {
                for frame in sent { channel.receive(message: .fromData(Data(frame))) }
            }
            group.addTask {
                for number in 0...1001 { channel.setReading(!number.isMultiple(of: 2)) }
            }
        }
        notified.wait { frames($0).count == sent.count }
        #expect(frames(notified.all) == sent)
        channel.cancel()
    }

    @Test("an error of the transport closes the channel with a transient or a permanent error", arguments: [true, false])
    func failure(isRecoverable: Bool) throws {
        let (near, _) = PipedConnection.pair()
        let active = MessageChannel(near, .messageStream, isActive: true)
        let notified = listen(to: active)
        notified.wait(forCount: 1)
        near.fail(isRecoverable: isRecoverable)
        notified.wait(until: isClosed)
        #expect(closure(notified.all)?.error?.isTransient == isRecoverable)
        #expect(closure(notified.all)?.error?.publicError.code == (isRecoverable ? 14001 : 14002))
    }

    @Test("invalid data in a byte stream closes the channel with a protocol error")
    func garbage() {
        let (near, far) = PipedConnection.pair()
        let active = MessageChannel(near, .byteStream, isActive: true)
        let notified = listen(to: active)
        notified.wait(forCount: 1)
        far.open(connection: active) { _, _ in }
        far.send(message: .fromData(Data([0xFF, 0xFF, 0xFF]))) { _, _ in }
        notified.wait(until: isClosed)
        #expect(closure(notified.all)?.error?.code == 1002)
        #expect(near.closings.wait(forCount: 1) == ["bad"])
    }

    /// A frame of a WebSocket client.
    private func masked(_ opcode: UInt8, _ payload: [UInt8]) -> Message {
        let head: [UInt8] = [0x80 | opcode, 0x80 | UInt8(payload.count), 0, 0, 0, 0]
        return .fromData(Data(head + payload))
    }

    @Test("while a peer does not read, only its latest ping is answered")
    func pings() {
        let connection = ManualConnection()
        let channel = MessageChannel(connection, .byteStream, isActive: false)
        listen(to: channel).wait(forCount: 1)
        channel.receive(message: masked(9, [1]))
        connection.sent.wait(forCount: 1)
        for number in 2...5 { channel.receive(message: masked(9, [UInt8(number)])) }
        connection.completeSend(0)
        connection.sent.wait(forCount: 2)
        connection.completeSend(1)
        channel.send([6])
        connection.sent.wait(forCount: 3)
        #expect(connection.sent.all == [[0x8A, 1, 1], [0x8A, 1, 5], [0x82, 1, 6]])
        channel.cancel()
    }

    @Test("a peer's close frame is answered with a close frame, as are frames that violate the protocol", arguments: [true, false])
    func closeFrame(isValid: Bool) {
        let (near, far) = PipedConnection.pair()
        let channel = MessageChannel(near, .byteStream, isActive: false)
        let notified = listen(to: channel)
        notified.wait(forCount: 1)
        let end = ReceivingEnd()
        far.open(connection: end) { _, _ in }
        // A frame of a client must be masked.
        far.send(message: isValid ? masked(8, [0x03, 0xE8]) : .fromData(Data([0x82, 0]))) { _, _ in }
        end.closings.wait(forCount: 1)
        let answers = end.messages.all
        #expect(answers.count == 1)
        #expect(answers.first?.first == 0x88)
        // The code follows the length.
        #expect(answers.first?.dropFirst(2).prefix(2) == [0x03, isValid ? 0xE8 : 0xEA])
        notified.wait(until: isClosed)
        #expect(closure(notified.all)?.code == (isValid ? 1000 : 1002))
        #expect(closure(notified.all)?.isByPeer == isValid)
        // Each end refers weakly to the other.
        withExtendedLifetime(far) {}
    }

    @Test("a channel can be closed although its transport never completes a send")
    func stuckTransport() {
        let connection = StuckConnection(opens: true)
        var limits = MessageChannel.Limits()
        limits.closeTimeout = 0.01
        let channel = MessageChannel(connection, .messageStream, isActive: true, limits)
        let notified = listen(to: channel)
        notified.wait(forCount: 1)
        channel.send([1])
        channel.close(code: 1000, reason: "")
        notified.wait(until: isClosed)
        #expect(closure(notified.all)?.code == 1000)
        #expect(connection.closings.wait(forCount: 1) == [true])
    }

    @Test(
        "a channel that is closed before it is opened reports its closing when it is opened",
        arguments: [ProtocolType.messageStream, .byteStream]
    )
    func closedEarly(_ type: ProtocolType) {
        let (near, _) = PipedConnection.pair()
        let channel = MessageChannel(near, type, isActive: false)
        channel.close(code: 1001, reason: "too late")
        #expect(near.closings.wait(forCount: 1) == ["good"])
        let notified = listen(to: channel)
        notified.wait(until: isClosed)
        #expect(notified.all.count == 1)
        #expect(closure(notified.all)?.code == 1001)
    }

    @Test("a connection that fails to open closes its channel")
    func refusal() {
        final class Refusing: MessageEndpointConnection {
            func open(connection: any ReplicatorConnection, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {
                completion(false, MessagingError(error: CocoaError(.fileNoSuchFile), isRecoverable: true))
            }
            func close(error: (any Error)?, completion: @escaping @Sendable () -> Void) { completion() }
            func send(message: Message, completion: @escaping @Sendable (Bool, MessagingError?) -> Void) {}
        }
        let notified = listen(to: MessageChannel(Refusing(), .messageStream, isActive: true))
        notified.wait(until: isClosed)
        #expect(notified.all.count == 1)
        #expect(closure(notified.all)?.error?.code == 4001)
    }
}
#endif
