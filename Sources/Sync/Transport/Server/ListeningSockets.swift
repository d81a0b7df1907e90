#if Replication
package import SyncCore
import Base
package import NIOCore
package import NIOPosix

/// The sockets on which a server listens: one for an interface, or one for each family of addresses.
package enum ListeningSockets {
    /// Listens on an interface. Blocks until the sockets are bound; must not be called on an event loop.
    ///
    /// - Parameters:
    ///   - networkInterface: The name or an address of the interface, or `localhost` for the loopback addresses of both families. `nil`
    ///     listens on all interfaces.
    ///   - port: The port. 0 selects any free port. All sockets have the same port.
    /// - Throws: ``SyncError``: POSIX `EADDRINUSE` if the port is in use, network 27 if the interface is unknown.
    package static func bind(_ bootstrap: ServerBootstrap, to networkInterface: String?, port: Int) throws(SyncError) -> [any Channel] {
        if networkInterface == NetworkInterfaces.thisMachine { return try bindToThisMachine(bootstrap, port) }
        if let networkInterface { return [try bind(bootstrap, NetworkInterfaces.listeningAddress(of: networkInterface), port)] }
        do throws(SyncError) {
            // This socket accepts IPv4 clients too.
            return [try bind(bootstrap, "::", port)]
        } catch {
            guard error.isOfMissingAddress else { throw error }
            return [try bind(bootstrap, "0.0.0.0", port)]
        }
    }

    /// Returns the hosts for the URLs of a server: the address of its interface, or all addresses of this machine.
    package static func hosts(of networkInterface: String?) -> [String] {
        if networkInterface == NetworkInterfaces.thisMachine { return [NetworkInterfaces.thisMachine] }
        guard let networkInterface, let host = try? NetworkInterfaces.listeningAddress(of: networkInterface),
            host != "0.0.0.0", host != "::"
        else { return NetworkInterfaces.reachableHosts() }
        return [host]
    }

    /// Listens on the loopback addresses of both families. A client that resolves “localhost” may try either address first, and must not
    /// find another process at the other one.
    private static func bindToThisMachine(_ bootstrap: ServerBootstrap, _ port: Int) throws(SyncError) -> [any Channel] {
        var attempts = 0
        while true {
            attempts += 1
            let first = try bind(bootstrap, "127.0.0.1", port)
            do throws(SyncError) {
                return [first, try bind(bootstrap, "::1", first.localAddress?.port ?? port)]
            } catch {
                if error.isOfMissingAddress { return [first] }
                first.close(promise: nil)
                // A port that is free in one family may be in use in the other.
                guard port == 0, error.code == Int(EADDRINUSE), attempts < 10 else { throw error }
            }
        }
    }

    private static func bind(_ bootstrap: ServerBootstrap, _ host: String, _ port: Int) throws(SyncError) -> any Channel {
        do {
            return try bootstrap.bind(host: host, port: port).wait()
        } catch {
            throw NetworkFailure.ofConnecting(error)
        }
    }
}

extension SyncError {
    /// Whether the error means that this machine does not support the address family, usually IPv6.
    fileprivate var isOfMissingAddress: Bool {
        domain == .posix && (code == Int(EAFNOSUPPORT) || code == Int(EADDRNOTAVAIL))
    }
}
#endif
