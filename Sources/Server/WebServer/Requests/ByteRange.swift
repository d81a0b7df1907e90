/// The part of a content that the header field `Range` requests (RFC 9110, 14).
///
/// Several ranges are not supported: as HTTP allows, the field is ignored then.
package enum ByteRange: Equatable, Sendable {
    /// These bytes, of which there is at least one: the status of the response is 206.
    case part(Range<UInt64>)
    /// The whole content, because there is no field, or it is to be ignored: the status of the response is 200.
    case whole
    /// None of the bytes exists: the status of the response is 416.
    case unsatisfiable

    /// Determines the part that a field requests.
    ///
    /// - Parameters:
    ///   - field: The value of the field; `nil` if the request has none, or is one for which HTTP does not define ranges.
    ///   - size: The size of the content, in bytes.
    package init(_ field: String?, size: UInt64) {
        guard let range = field.flatMap({ Self.onlyRange(in: $0) }) else {
            self = .whole
            return
        }
        switch range {
        case (let first?, let last) where first < size: self = .part(first..<min(last ?? size, size - 1) + 1)
        // An empty content has no byte that a part could consist of.
        case (nil, let count?) where count > 0: self = size > 0 ? .part(size - min(count, size)..<size) : .whole
        default: self = .unsatisfiable
        }
    }

    /// Returns the value of the field `Content-Range` of a response with this part; `nil` for a response with the whole content.
    ///
    /// - Parameter size: The size of the content, in bytes.
    package func contentRange(ofSize size: UInt64) -> String? {
        switch self {
        case .part(let range): "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        case .whole: nil
        case .unsatisfiable: "bytes */\(size)"
        }
    }

    /// Returns the positions of the first and the last byte, of which the last may be missing, or no first position and the number of bytes at
    /// the end; `nil` if the field is invalid, has another unit, or several ranges. The name of the unit is case-insensitive, and elements of
    /// the list may be empty (RFC 9110, 5.6.1, 14.1).
    private static func onlyRange(in field: String) -> (first: UInt64?, last: UInt64?)? {
        let bytes = Array(field.utf8)
        guard let end = bytes.firstIndex(of: UInt8(ascii: "=")), String(decoding: bytes[..<end], as: UTF8.self).lowercased() == "bytes"
        else {
            return nil
        }
        let elements = bytes[(end + 1)...].split(separator: UInt8(ascii: ",")).map { trimmed($0) }.filter { !$0.isEmpty }
        guard elements.count == 1 else { return nil }
        let positions = elements[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard positions.count == 2, positions.joined().allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let (first, last) = (number(positions[0]), number(positions[1]))
        if let first, let last, first > last { return nil }
        return first == nil && last == nil ? nil : (first, last)
    }

    /// Returns an element of the list without the spaces and tabs around it.
    private static func trimmed(_ element: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let rest = element.drop(while: isSpace)
        guard let end = rest.lastIndex(where: { !isSpace($0) }) else { return [] }
        return rest[...end]
    }

    /// Returns a number; `nil` if there are no digits. No content has as many bytes as the largest number, so it can represent larger ones.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        digits.isEmpty ? nil : UInt64(String(decoding: digits, as: UTF8.self)) ?? .max
    }
}
