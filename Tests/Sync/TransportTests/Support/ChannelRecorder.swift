#if Replication
import SyncCore
import Transport

/// Opens a channel and stores its events, for which a test can wait.
final class ChannelRecorder: Sendable {
    let channel: any FrameChannel
    private let iterator: IteratorBox

    /// `@unchecked Sendable`: only the task of the test that awaits the next event uses the iterator.
    private final class IteratorBox: @unchecked Sendable {
        var iterator: AsyncStream<FrameChannelEvent>.Iterator

        init(_ iterator: AsyncStream<FrameChannelEvent>.Iterator) {
            self.iterator = iterator
        }
    }

    init(_ channel: any FrameChannel, opens: Bool = true) {
        self.channel = channel
        let (stream, continuation) = AsyncStream.makeStream(of: FrameChannelEvent.self)
        iterator = IteratorBox(stream.makeAsyncIterator())
        if opens {
            channel.open { event in
                continuation.yield(event)
                if case .closed = event { continuation.finish() }
            }
        }
    }

    /// The next event; nil after the end.
    func next() async -> FrameChannelEvent? {
        await iterator.iterator.next()
    }

    /// Waits for the next event, which must be `.opened`.
    func opened() async throws -> ChannelHandshake {
        switch await next() {
        case .opened(let handshake): return handshake
        case let other: throw Unexpected(description: "not opened: \(String(describing: other))")
        }
    }

    /// Waits for the next frame; notifications that the channel is writable are ignored.
    func frame() async throws -> [UInt8] {
        while true {
            switch await next() {
            case .frame(let frame): return frame
            case .writable: continue
            case let other: throw Unexpected(description: "no frame: \(String(describing: other))")
            }
        }
    }

    /// Waits for the end; earlier events are discarded.
    func closed() async throws -> ChannelClosure {
        while let event = await next() {
            if case .closed(let closure) = event { return closure }
        }
        throw Unexpected(description: "ended without an end")
    }
}

/// Another event than expected has occurred.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
}

/// The clients that a listener accepts, one after the other.
final class Arrivals: Sendable {
    private let stream: AsyncStream<IncomingConnection>
    private let continuation: AsyncStream<IncomingConnection>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func add(_ connection: IncomingConnection) {
        continuation.yield(connection)
    }

    func next() async throws -> IncomingConnection {
        for await connection in stream { return connection }
        throw Unexpected(description: "nobody has come")
    }
}
#endif
