#if Replication
import SyncCore
package import NIOCore

/// The response to a request of ``HTTPExchange``.
package struct HTTPResponse: Sendable {
    /// The status and the header fields.
    package let head: HTTPResponseHead
    /// The body, which may be truncated. Empty if the response is an upgrade or opens a tunnel.
    package let body: [UInt8]

    package init(head: HTTPResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// Sends one request and waits for its response. After an upgrade or an opened tunnel (`101`, or `2xx` to `CONNECT`) the handler can be
/// removed from the pipeline, and passes the data that followed the head to the next handler.
package final class HTTPExchange: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = ByteBuffer
    package typealias OutboundOut = ByteBuffer

    private let request: [UInt8]
    private let isTunnel: Bool
    private var promise: EventLoopPromise<HTTPResponse>?
    private var parser = HTTPHeadParser()
    private var head: HTTPResponseHead?
    private var bodyReader: HTTPBodyReader?

    /// - Parameters:
    ///   - request: The request, with its body.
    ///   - isTunnel: Whether the request is a `CONNECT`.
    ///   - promise: Completed with the response, or with the error that has ended the connection before.
    package init(request: [UInt8], isTunnel: Bool, promise: EventLoopPromise<HTTPResponse>) {
        self.request = request
        self.isTunnel = isTunnel
        self.promise = promise
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        // If the TLS handshake is still in progress, the TLS handler queues the request.
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: request)), promise: nil)
    }

    package func handlerRemoved(context: ChannelHandlerContext) { fail(NetworkFailure.connectionReset) }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = unwrapInboundIn(data)
        do {
            if bodyReader != nil {
                bodyReader?.append(buffer.readableBytesView)
            } else if try parser.append(buffer.readableBytesView), head == nil {
                try readHead(context)
            }
        } catch {
            fail(error)
            return context.close(promise: nil)
        }
        guard let head, let bodyReader, bodyReader.isComplete else { return }
        succeed(HTTPResponse(head: head, body: bodyReader.body))
    }

    package func channelInactive(context: ChannelHandlerContext) {
        if let head, let bodyReader { succeed(HTTPResponse(head: head, body: bodyReader.body)) }
        fail(NetworkFailure.connectionReset)
        context.fireChannelInactive()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(error)
        context.close(promise: nil)
    }

    package func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        context.leavePipeline(removalToken, handingOn: parser.rest)
    }

    private func readHead(_ context: ChannelHandlerContext) throws {
        var head = try parser.response()
        // Interim responses, such as 103, are followed by the final response.
        while (100..<200).contains(head.status), head.status != 101 {
            let rest = parser.rest
            parser = HTTPHeadParser()
            guard try parser.append(rest) else { return }
            head = try parser.response()
        }
        self.head = head
        if head.status == 101 || isTunnel && (200..<300).contains(head.status) {
            try context.channel.syncOptions?.setOption(.autoRead, value: false)
            succeed(HTTPResponse(head: head, body: []))
        } else {
            var reader = HTTPBodyReader(after: head)
            reader.append(parser.rest)
            bodyReader = reader
        }
    }

    // Who waits for the promise may call this handler again, for example by closing the channel.

    private func succeed(_ response: HTTPResponse) { promise.take()?.succeed(response) }

    private func fail(_ error: any Error) { promise.take()?.fail(error) }
}

extension ChannelHandlerContext {
    /// Removes the handler from the pipeline and passes unprocessed data to the next handler.
    func leavePipeline(_ token: RemovalToken, handingOn rest: [UInt8]) {
        if !rest.isEmpty {
            fireChannelRead(NIOAny(channel.allocator.buffer(bytes: rest)))
            fireChannelReadComplete()
        }
        leavePipeline(removalToken: token)
    }
}
#endif
