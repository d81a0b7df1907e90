#if Replication
import SyncCore
import NIOCore

/// The network interfaces of this machine.
enum NetworkInterfaces {
    /// The addresses of an interface, given by its name or by one of its addresses.
    ///
    /// - Throws: ``SyncError``, network 27, when there is no such interface, or it has no address.
    static func addresses(of nameOrAddress: String) throws(SyncError) -> [SocketAddress] {
        let devices = (try? System.enumerateDevices()) ?? []
        let wanted = try? SocketAddress(ipAddress: nameOrAddress, port: 0)
        let found = devices.compactMap { device -> SocketAddress? in
            guard let address = device.address, address.ipAddress != nil else { return nil }
            if let wanted { return address.ipAddress == wanted.ipAddress ? address : nil }
            return device.name == nameOrAddress ? address : nil
        }
        // The wildcard addresses belong to no interface, and stand for all.
        if found.isEmpty, let wanted, wanted.ipAddress == "0.0.0.0" || wanted.ipAddress == "::" { return [wanted] }
        guard !found.isEmpty else { throw SyncError(network: .unknownInterface, "there is no network interface “\(nameOrAddress)”") }
        return found
    }

    /// What stands for this machine itself, in place of the name of an interface: its loopback addresses of IPv4 and, if it has one, of
    /// IPv6.
    static let thisMachine = "localhost"

    /// Whether an interface, given by its name or by one of its addresses, is reached from this machine only.
    ///
    /// - Throws: As ``addresses(of:)``.
    static func isOfThisMachineOnly(_ nameOrAddress: String) throws(SyncError) -> Bool {
        if nameOrAddress == thisMachine { return true }
        return try addresses(of: nameOrAddress).allSatisfy { isLoopback($0.ipAddress ?? "") }
    }

    /// The one address to listen on: IPv4 first, which every client can reach.
    static func preferred(_ addresses: [SocketAddress]) -> SocketAddress? {
        addresses.first { $0.protocol == .inet } ?? addresses.first
    }

    /// The addresses at which others may reach this machine, without those that mean a thing on one link only; the loopback
    /// address when there is no other.
    static func reachableHosts() -> [String] {
        let all = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
        let hosts = all.filter { !$0.lowercased().hasPrefix("fe80:") && !isLoopback($0) }
        return hosts.isEmpty ? ["127.0.0.1"] : hosts
    }

    /// An address as people write it: `127.0.0.1:4984`, `[fe80::1]:4984`.
    static func name(of address: SocketAddress) -> String {
        guard var host = address.ipAddress, let port = address.port else { return address.description }
        // How a socket of both families shows an address of IPv4.
        if host.hasPrefix("::ffff:"), host.contains(".") { host.removeFirst("::ffff:".count) }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    private static func isLoopback(_ address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1"
    }
}
#endif
