#if Replication
import Base
import SyncCore
import NIOCore
import NIOPosix

/// Resolves host names to addresses. The blocking lookup runs outside of the event loops.
enum HostResolver {
    /// Returns the addresses of a host, in the order of the system's preference.
    ///
    /// - Throws: ``SyncError``: network 2 if the name does not exist, 1 if the lookup failed.
    static func resolve(host: String, port: Int) async throws -> [SocketAddress] {
        if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
        return try await NIOThreadPool.singleton.runIfActive { try lookUp(host: host, port: port) }
    }

    private static func lookUp(host: String, port: Int) throws(SyncError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = Int32(SOCK_STREAM)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else { throw error(status, host) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let pointer = entry.ai_addr else { continue }
            switch entry.ai_family {
            case AF_INET: addresses.append(SocketAddress(UnsafeRawPointer(pointer).load(as: sockaddr_in.self), host: host))
            case AF_INET6: addresses.append(SocketAddress(UnsafeRawPointer(pointer).load(as: sockaddr_in6.self), host: host))
            default: break
            }
        }
        guard !addresses.isEmpty else { throw error(EAI_NONAME, host) }
        return addresses
    }

    private static func error(_ status: Int32, _ host: String) -> SyncError {
        let text = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
        let message = "the host name “\(host)” cannot be resolved: \(text)"
        return SyncError(network: status == EAI_NONAME || status == noData ? .unknownHost : .dnsFailure, message)
    }

    /// `EAI_NODATA`, which some C libraries do not declare: the name exists but has no address.
    private static var noData: Int32 {
        #if canImport(Darwin)
        7
        #else
        -5
        #endif
    }
}

/// A resolver that returns known addresses, so that the bootstrap tries several of them concurrently (RFC 8305).
struct KnownAddresses: Resolver {
    let addresses: [SocketAddress]
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
#endif
