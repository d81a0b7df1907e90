import TestSupport

/// Bytes that cannot be compressed.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count {
        withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
}

/// Text of a few words in random order, which is compressed to a fraction of its size.
func prose(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    let words = ["lorem ", "ipsum ", "dolor ", "sit ", "amet, ", "consectetur ", "adipiscing ", "elit. "].map {
        Array($0.utf8)
    }
    var generator = SeededGenerator(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 16)
    while bytes.count < count { bytes.append(contentsOf: words[Int(generator.next() & 7)]) }
    return Array(bytes.prefix(count))
}
