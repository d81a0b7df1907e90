#if Replication
/// The value of the field `Host` of a request: a host and, if that is unusual, a port (RFC 9110, 7.2).
package enum HostField {
    /// Returns the host without the port, in small letters: `example.com`, `127.0.0.1` or `[::1]`.
    ///
    /// Returns `nil` if the value has another form. What follows a name or an address that is known must not be skipped, because `[::1].example`
    /// is not an address of this machine.
    package static func name(_ value: String) -> String? {
        let bytes = value.utf8
        let isAddress = bytes.first == UInt8(ascii: "[")
        let end =
            isAddress
            ? bytes.firstIndex(of: UInt8(ascii: "]")).map { bytes.index(after: $0) } : bytes.firstIndex(of: UInt8(ascii: ":"))
        guard end != nil || !isAddress else { return nil }
        let host = bytes[..<(end ?? bytes.endIndex)]
        let port = bytes[host.endIndex...]
        guard port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy({ ("0"..."9").contains(UnicodeScalar($0)) })
        else { return nil }
        let text = isAddress ? host.dropFirst().dropLast() : host
        guard !text.isEmpty, text.allSatisfy({ isAddress ? isOfAddress($0) : isOfName($0) }) else { return nil }
        return String(host)?.lowercased()
    }

    /// Whether a byte may be part of an IPv6 address: a hexadecimal digit, a colon or a dot.
    private static func isOfAddress(_ byte: UInt8) -> Bool { "0123456789abcdefABCDEF:.".utf8.contains(byte) }

    /// Whether a byte may be part of a registered name (RFC 3986, 3.2.2).
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: "-._~%!$&'()*+,;=".utf8.contains(byte)
        }
    }
}
#endif
