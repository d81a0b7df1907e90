#if Replication
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where a client comes from, as far as limits for an address go: an address of IPv4, or the first half of one of IPv6, since whoever has
/// one of those has all that begin alike.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// All who are not on a network count as one.
    init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        var four = [UInt8](repeating: 0, count: 4)
        var sixteen = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            // One of IPv4 that a listener for both has taken in.
            let isMapped = sixteen[..<10].allSatisfy { $0 == 0 } && sixteen[10] == 0xFF && sixteen[11] == 0xFF
            bytes = Array(isMapped ? sixteen[12...] : sixteen[..<8])
        } else {
            bytes = []
        }
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
#endif
