@testable import DocumentStore

/// The sources of the examples in the document about version vectors, by their letters.
let exampleSources: [Character: SourceID] = {
    func repeated(_ byte: UInt8) -> SourceID { SourceID([UInt8](repeating: byte, count: 16)) ?? .me }
    return [
        "*": .me, "S": SourceID((0..<16).map { UInt8($0) }) ?? .me, "E": repeated(0x11), "I": repeated(0x22), "M": repeated(0x33),
        "D": repeated(0x44), "R": .treeRevisions, "F": repeated(0xFF),
    ]
}()

/// Returns a text with the IDs in place of the letters of sources, for example in `2@E; 1@*`.
func withSources(_ text: String) -> String {
    var result = ""
    var isSource = false
    for character in text {
        result += isSource ? exampleSources[character]?.description ?? "?" : String(character)
        isSource = character == "@"
    }
    return result
}

/// Returns the vector of a text like `3@E; 1.5@*`, whose times are small numbers with at most one decimal.
func vector(_ text: String) throws -> VersionVector {
    guard !text.isEmpty else { return .empty }
    var hexadecimal = ""
    for part in text.split(separator: "@", omittingEmptySubsequences: false) {
        let digits = part.reversed().prefix { $0.isNumber || $0 == "." }.reversed()
        hexadecimal += part.dropLast(digits.count)
        if !digits.isEmpty { hexadecimal += String(Int((Double(String(digits)) ?? 0) * 10), radix: 16) }
        hexadecimal += "@"
    }
    return try VersionVector(withSources(String(hexadecimal.dropLast())))
}

extension VersionVector {
    /// Reads the binary form.
    static func reading(_ bytes: [UInt8]) throws(VersionError) -> VersionVector {
        try bytes.withUnsafeBytes { bytes throws(VersionError) in try VersionVector(binary: bytes) }
    }
}
