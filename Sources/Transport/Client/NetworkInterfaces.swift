#if Replication
    import BLIP
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
            guard !found.isEmpty else {
                throw SyncError(network: .unknownInterface, "there is no network interface “\(nameOrAddress)”")
            }
            return found
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

        private static func isLoopback(_ address: String) -> Bool {
            address.hasPrefix("127.") || address == "::1"
        }
    }
#endif
