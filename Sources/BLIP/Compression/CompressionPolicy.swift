/// How hard to compress: what costs little time as long as the channel keeps up, and what is asked for when it does not.
///
/// Level 3 takes 60 % of the time of level 6 for documents of some hundred bytes, and 40 % for some thousand, and makes a tenth
/// more of them; where nobody waits for the channel, that is the better bargain.
struct CompressionPolicy {
    private static let quickLevel = 3
    /// The compressed frames for which a full channel is remembered.
    private static let memory = 64

    /// The highest level, 0 to 9. At 0 nothing is compressed.
    private let highestLevel: Int
    private var framesAtHighest = 0

    init(highestLevel: Int) {
        self.highestLevel = max(0, min(9, highestLevel))
    }

    var compresses: Bool { highestLevel > 0 }

    /// The channel has no room: bytes are scarcer than time.
    mutating func noteChannelIsFull() {
        framesAtHighest = Self.memory
    }

    /// The level for the next compressed frame.
    mutating func nextLevel() -> Int {
        guard framesAtHighest > 0 else { return min(highestLevel, Self.quickLevel) }
        framesAtHighest -= 1
        return highestLevel
    }

    /// Whether bytes look as if they became smaller: those of images, archives and encrypted files do not.
    ///
    /// It counts how often each value occurs in a sample. Values at random, as compressed data has, meet their like 5116 times in
    /// it, and hardly ever 5700 times; letters of base64, which are worth compressing, 17 000 times.
    static func isCompressible(_ bytes: ArraySlice<UInt8>) -> Bool {
        let sampleSize = 1024
        guard bytes.count >= 4 * sampleSize else { return true }
        let distance = bytes.count / sampleSize
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: 256) { counts in
            counts.initialize(repeating: 0)
            for index in 0..<sampleSize { counts[Int(bytes[bytes.startIndex + index * distance])] += 1 }
            return counts.reduce(0) { $0 + Int($1) * Int($1) } > 8 * sampleSize
        }
    }
}
