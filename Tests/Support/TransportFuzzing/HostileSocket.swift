#if Replication
import Foundation
package import NIOCore
package import NIOEmbedded

/// The part of an embedded channel that stands for its socket. At each call that leaves the handlers it may deliver data, fail, close, become
/// writable or unwritable, or report an error before the call returns: a real socket does that when a write fails, because it is read to its end
/// and closed then.
package final class HostileSocket: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = ByteBuffer
    package typealias OutboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    /// The number of calls of handlers within each other.
    private static let maximumDepth = 3

    package let channel = EmbeddedChannel()
    private var input: RandomInput
    private var context: ChannelHandlerContext?
    /// Returns what the peer answers to bytes of the handlers; `nil` if the peer says only what it was created with.
    private let answer: ((_ sent: [UInt8]) -> [UInt8])?
    /// What the peer has sent and the handlers have not received. There may be a piece for each byte, so it is no array.
    private var incoming: CircularBuffer<ArraySlice<UInt8>>
    private var unsent: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
    private var depth = 0
    /// The number of calls of which one, on average, is disturbed in each way.
    private let calls: Int
    /// The call at which the connection breaks off, if nothing else happens; `nil` if everything happens at random.
    private let lastCall: Int?
    private var callCount = 0
    /// Whether the connection has broken off at the call that was chosen.
    package private(set) var hasBrokenOff = false
    /// What the handlers have received.
    package private(set) var delivered: [UInt8] = []
    /// What the handlers have sent.
    package private(set) var sent: [UInt8] = []
    /// Whether an error was reported to the handlers.
    package private(set) var hasFailed = false

    /// Creates a connected channel.
    ///
    /// - Parameters:
    ///   - bytes: What the peer sends.
    ///   - lastCall: The call at which the connection breaks off, from 1 on, while all others have no effect; `nil`, the default, if everything
    ///     happens at random.
    ///   - answer: Returns what the peer answers to bytes of the handlers; `nil`, the default, if it does not answer.
    package init(
        _ bytes: [UInt8],
        _ input: RandomInput,
        lastCall: Int? = nil,
        answer: ((_ sent: [UInt8]) -> [UInt8])? = nil
    ) throws {
        var input = input
        self.lastCall = lastCall
        calls = input.pick([60, 60, 30])
        self.answer = answer
        incoming = CircularBuffer(input.pieces(of: bytes))
        self.input = input
        try channel.pipeline.syncOperations.addHandler(self)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    /// Whether the handlers have closed the channel, or the socket was closed.
    package var isClosed: Bool { !channel.isActive }

    package var loop: EmbeddedEventLoop { channel.embeddedEventLoop }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    package func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        complete(ChannelError.ioOnClosedChannel)
    }

    // MARK: The peer

    /// Adds bytes that the peer sends.
    package func add(_ bytes: [UInt8]) { incoming.append(contentsOf: input.pieces(of: bytes)) }

    /// Delivers the next bytes. Returns `false` if there are none.
    package func deliver() -> Bool {
        guard let context, !isClosed, !incoming.isEmpty else { return false }
        read(context)
        context.fireChannelReadComplete()
        return true
    }

    private func read(_ context: ChannelHandlerContext) {
        let piece = incoming.removeFirst()
        delivered += piece
        context.fireChannelRead(wrapInboundOut(channel.allocator.buffer(bytes: piece)))
    }

    /// Closes the channel and lets all timers of the handlers end.
    package func end() {
        if !isClosed { channel.close(promise: nil) }
        loop.run()
        loop.advanceTime(to: .now() + .hours(48))
    }

    /// Ends the connection as a write that fails does: what has been received is read first.
    private func breakOff(_ context: ChannelHandlerContext) {
        while !incoming.isEmpty, !isClosed { read(context) }
        if !isClosed { context.fireChannelReadComplete() }
        // Without the other handlers, of which that of TLS would wait.
        if !isClosed { context.close(promise: nil) }
    }

    private func disturb(_ context: ChannelHandlerContext) {
        guard depth < Self.maximumDepth, !isClosed else { return }
        callCount += 1
        if let lastCall {
            guard callCount == lastCall else { return }
            hasBrokenOff = true
            // Or as a handler does that closes the connection because of what it has received.
            return input.number(0...1) == 0 ? breakOff(context) : channel.close(promise: nil)
        }
        depth += 1
        switch input.number(0...calls - 1) {
        case 0: breakOff(context)
        case 1: channel.close(promise: nil)
        case 2:
            hasFailed = true
            context.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "the test"))
        case 3...15 where !incoming.isEmpty:
            read(context)
            if input.number(0...1) == 0, !isClosed { context.fireChannelReadComplete() }
        case 16...25:
            channel.isWritable.toggle()
            context.fireChannelWritabilityChanged()
        default: break
        }
        depth -= 1
    }

    // MARK: Calls of the handlers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        unsent.append((unwrapOutboundIn(data), promise))
        disturb(context)
    }

    package func flush(context: ChannelHandlerContext) {
        disturb(context)
        complete(isClosed ? ChannelError.ioOnClosedChannel : nil)
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        disturb(context)
        guard mode == .output, !isClosed else { return context.close(mode: .all, promise: promise) }
        promise?.succeed()
    }

    package func read(context: ChannelHandlerContext) { disturb(context) }

    private func complete(_ error: (any Error)?) {
        let completed = unsent
        unsent = []
        if error == nil {
            // All of them, before a promise lets the handlers write more.
            let bytes = completed.flatMap { Array($0.bytes.readableBytesView) }
            sent += bytes
            if let answer, !bytes.isEmpty { add(answer(bytes)) }
        }
        for (_, promise) in completed {
            if let error { promise?.fail(error) } else { promise?.succeed() }
        }
    }
}
#endif
