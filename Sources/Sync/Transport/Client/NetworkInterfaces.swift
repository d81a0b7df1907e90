#if Replication
package import SyncCore
package import NIOCore

/// The network interfaces of this machine.
package enum NetworkInterfaces {
    /// Returns the addresses of an interface, specified by its name or by one of its addresses.
    ///
    /// - Throws: ``SyncError``, network 27, if the interface does not exist or has no address.
    static func addresses(of nameOrAddress: String) throws(SyncError) -> [SocketAddress] {
        let devices = (try? System.enumerateDevices()) ?? []
        let wanted = try? SocketAddress(ipAddress: nameOrAddress, port: 0)
        let found = devices.compactMap { device -> SocketAddress? in
            guard let address = device.address, address.ipAddress != nil else { return nil }
            if let wanted { return address.ipAddress == wanted.ipAddress ? address : nil }
            return device.name == nameOrAddress ? address : nil
        }
        // The wildcard addresses belong to no interface and mean all of them.
        if found.isEmpty, let wanted, wanted.ipAddress == "0.0.0.0" || wanted.ipAddress == "::" { return [wanted] }
        guard !found.isEmpty else { throw SyncError(network: .unknownInterface, "the network interface “\(nameOrAddress)” does not exist") }
        return found
    }

    /// The name that selects this machine instead of an interface: its IPv4 loopback address and, if available, its IPv6 loopback address.
    static let thisMachine = "localhost"

    /// Returns whether an interface, specified as in ``ListenerConfiguration/networkInterface``, is only reachable from this machine.
    ///
    /// - Throws: ``SyncError``, network 27, if the interface is unknown.
    package static func isOfThisMachineOnly(_ nameOrAddress: String) throws(SyncError) -> Bool {
        if nameOrAddress == thisMachine { return true }
        return try addresses(of: nameOrAddress).allSatisfy { isLoopback($0.ipAddress ?? "") }
    }

    /// Returns the address of an interface to listen on. IPv4 is preferred, because all clients support it.
    static func listeningAddress(of nameOrAddress: String) throws(SyncError) -> String {
        let addresses = try Self.addresses(of: nameOrAddress)
        let preferred = addresses.first { $0.protocol == .inet } ?? addresses[0]
        guard let address = preferred.ipAddress else { throw SyncError(network: .unknownInterface, "“\(nameOrAddress)” has no address") }
        return address
    }

    /// Returns the addresses at which others may reach this machine, without link-local addresses. Returns the loopback address if there is
    /// no other.
    static func reachableHosts() -> [String] {
        let all = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        let hosts = all.filter { !$0.lowercased().hasPrefix("fe80:") && !isLoopback($0) }
        return hosts.isEmpty ? ["127.0.0.1"] : hosts
    }

    /// Returns an address in its usual notation: `127.0.0.1:4984`, `[fe80::1]:4984`.
    package static func name(of address: SocketAddress) -> String {
        guard var host = address.ipAddress, let port = address.port else { return address.description }
        // A socket of both families reports an IPv4 address in this form.
        if host.hasPrefix("::ffff:"), host.contains(".") { host.removeFirst("::ffff:".count) }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isLoopback(_ address: String) -> Bool { address.hasPrefix("127.") || address == "::1" }
}
#endif
