/// The bytes of a text such as `0a ff`; spaces and line breaks are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.isWhitespace ? nil : $0.hexDigitValue.map { UInt8($0) } }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// The reverse: bytes as text in the format of the specification.
func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}
