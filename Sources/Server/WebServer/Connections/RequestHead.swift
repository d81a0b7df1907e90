#if Replication
import NIOCore
import NIOHTTP1
import Transport

/// The head of a request that the server accepts.
struct RequestHead {
    private let head: NIOHTTP1.HTTPRequestHead
    private let fields: HTTPFields
    let target: WebTarget
    /// Decompresses the body; `nil` if it is not compressed.
    let decoder: GzipDecoder?

    /// - Throws: The ``WebError`` with which the request is refused.
    init(_ head: NIOHTTP1.HTTPRequestHead, _ options: WebServerOptions) throws(WebError) {
        // A head that arrives in one read is decoded before its bytes could be refused.
        guard head.headers.count <= options.maximumFieldCount, Self.size(of: head) <= options.maximumHeadBytes else {
            throw .headTooLarge
        }
        guard let target = WebTarget(head.uri) else { throw WebError(400, "The path or the query of the request is malformed") }
        var fields = HTTPFields(head.headers.map { ($0.name, $0.value) })
        // Of two, another program on the way to the server may have believed the other one.
        for name in ["Host", "Origin", "Authorization"] where fields.values(of: name).count > 1 {
            throw WebError(400, "The request has several fields \(name)")
        }
        let host = fields["Host"]
        // A request of HTTP/1.0 may have none (RFC 9112, 3.2).
        guard host != nil || head.version.minor == 0 else { throw WebError(400, "The request has no field Host") }
        guard host.map({ HostField.name($0) != nil }) ?? true else { throw WebError(400, "The field Host of the request is malformed") }
        if let authority = target.authority { fields.set("Host", authority) }
        if let names = options.hostNames, !(fields["Host"].flatMap { HostField.name($0) }.map { names.contains($0) } ?? false) {
            throw WebError(403, "The server has another name", error: "Forbidden")
        }
        self.head = head
        self.target = target
        self.fields = fields
        decoder = options.usesGzip ? try ContentCoding.decoder(fields) : nil
    }

    /// Whether the response has no body.
    var isHead: Bool { head.method == .HEAD }

    /// The method, in capital letters. `HEAD` counts as `GET`.
    var method: String { isHead ? "GET" : head.method.rawValue }

    /// Returns the request for the handler.
    func request(with body: WebBody, from channel: any Channel) -> WebRequest {
        WebRequest(
            method: method,
            isHead: isHead,
            target: target.originForm,
            path: target.path,
            query: target.query,
            headers: fields,
            body: body,
            remoteAddress: channel.remoteAddress.map(NetworkInterfaces.name) ?? "unknown",
            clientAddress: ClientAddress(channel.remoteAddress)
        )
    }

    /// Returns the size of a head in bytes, without the method and the version.
    private static func size(of head: NIOHTTP1.HTTPRequestHead) -> Int {
        head.headers.reduce(head.uri.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }
}

/// Stands before the decoder and limits the bytes that it may hold: those of an incomplete head, or of the fields after a chunked body.
final class HeadLimiter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let connection: WebConnection
    private let maximumBytes: Int
    /// Whether bytes are being decoded. What is received meanwhile waits in the decoder.
    private var isPassing = false

    /// - Parameter connection: The handler after the decoder, which resets the count with each part of a request.
    init(_ connection: WebConnection, maximumBytes: Int) {
        self.connection = connection
        self.maximumBytes = maximumBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.receive(byteCount: unwrapInboundIn(data).readableBytes)
        guard !isPassing else { return context.fireChannelRead(data) }
        isPassing = true
        context.fireChannelRead(data)
        isPassing = false
        if connection.undecodedCount > maximumBytes { connection.refuseHead() }
    }
}
#endif
