#if Replication
import NIOCore
import NIOEmbedded
package import Transport
package import TransportFuzzing

/// The other end of an encrypted connection, in memory: it encrypts what the peer says, and decrypts what the handlers have sent.
///
/// Keys and signatures are new in each run, and the lengths of signatures vary by a few bytes, so the pieces of a run with the same seed may
/// differ by that.
package final class SecurePeer {
    /// The identity of servers.
    private static let identity = Result { try TLSIdentityData.selfSigned(attributes: ["CN": "localhost"], isServer: true) }

    /// Returns the identity of servers, which ``ServerTrust/selfSignedOnly`` accepts.
    package static func serverIdentity() throws -> TLSIdentityData { try identity.get() }

    private let channel = EmbeddedChannel()
    private let tasks = WaitingTasks()
    private var input: RandomInput?
    private let isAltered: Bool
    /// The decrypted bytes that the handlers have sent.
    package private(set) var received: [UInt8] = []

    /// - Parameters:
    ///   - message: What the peer says as soon as the connection is encrypted.
    ///   - isClient: Whether the peer is the client of the connection.
    ///   - input: Alters the encrypted bytes of some runs, and ends the encryption of some; `nil` if the peer follows the protocol.
    package init(_ message: [UInt8], isClient: Bool, _ input: RandomInput?) throws {
        var input = input
        isAltered = input?.number(0...4) == 0
        self.input = input
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        if isClient {
            var tls = ClientTLS()
            tls.trust = .selfSignedOnly
            try tls.add(to: channel, host: "localhost", peer: TLSPeer(tasks))
        } else {
            try ServerTLS(try Self.serverIdentity()).add(to: channel)
        }
        say(message)
    }

    /// Encrypts bytes, which the next ``take(_:)`` returns.
    package func say(_ message: [UInt8]) { channel.writeAndFlush(channel.allocator.buffer(bytes: message), promise: nil) }

    /// Takes bytes of the handlers. Returns the answer, which may be altered, and may end the encryption.
    package func take(_ bytes: [UInt8]) -> [UInt8] {
        // An error closes the channel, which says nothing more then.
        if channel.isActive, !bytes.isEmpty { _ = try? channel.writeInbound(channel.allocator.buffer(bytes: bytes)) }
        if input?.number(0...30) == 0 { channel.close(promise: nil) }
        repeat { channel.embeddedEventLoop.run() } while tasks.runNext()
        while let part = try? channel.readInbound(as: ByteBuffer.self) { received += Array(part.readableBytesView) }
        var answer: [UInt8] = []
        while let part = try? channel.readOutbound(as: ByteBuffer.self) { answer += Array(part.readableBytesView) }
        return isAltered && input?.number(0...3) == 0 ? input?.altered(answer) ?? answer : answer
    }
}
#endif
