#if Replication
import CLibrary
import NIOCore

/// The part of a client's address that limits apply to: an IPv4 address, or the first half of an IPv6 address, because a client controls
/// all addresses with the same first half.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Creates the address. All clients that have no IP address share one value.
    init(_ address: SocketAddress?) {
        let text = address?.ipAddress ?? ""
        var four = [UInt8](repeating: 0, count: 4)
        var sixteen = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = four
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            // A listener for both families reports IPv4 clients as mapped addresses.
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
