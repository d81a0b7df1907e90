import TestSupport

/// Generates texts for fuzzing a parser: valid texts with changed bytes or words, and words in random order.
struct TextMutator {
    var random: SeededGenerator
    let samples: [String]
    let words: [String]

    mutating func text() -> String {
        switch Int.random(in: 0..<20, using: &random) {
        case 0...7: return changedBytes(sample())
        case 8...14: return changedWords(sample())
        case 15...17: return changedWords(changedWords(sample() + " " + sample()))
        case 18: return (0..<Int.random(in: 1...30, using: &random)).map { _ in word() }.joined(separator: separator())
        default: return repeated()
        }
    }

    private mutating func sample() -> String { samples[Int.random(in: 0..<samples.count, using: &random)] }

    private mutating func word() -> String { words[Int.random(in: 0..<words.count, using: &random)] }

    private mutating func separator() -> String { Bool.random(using: &random) ? " " : "" }

    // MARK: Bytes

    private mutating func changedBytes(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &random)
            let length = Int.random(in: 1...8, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 2: bytes.insert(contentsOf: bytes[position...].prefix(length), at: position)
            case 3: bytes.removeSubrange(position..<min(bytes.count, position + length))
            default: bytes.removeSubrange(position...)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Words

    private mutating func changedWords(_ text: String) -> String {
        var parts = Self.parts(of: text)
        for _ in 0..<Int.random(in: 1...2, using: &random) where !parts.isEmpty {
            let position = Int.random(in: 0..<parts.count, using: &random)
            let other = Int.random(in: 0..<parts.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: parts[position] = word()
            case 1: parts.insert(word(), at: position)
            case 2: parts.remove(at: position)
            case 3: parts.swapAt(position, other)
            case 4: parts.insert(contentsOf: parts[min(position, other)..<max(position, other)], at: position)
            default: parts.insert(contentsOf: Self.parts(of: sample()).prefix(12), at: position)
            }
            if parts.count > 2000 { parts.removeSubrange(2000...) }
        }
        return parts.joined()
    }

    /// Splits a text into words and other characters. Joined, the parts are the text.
    private static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var isWord = false
        for character in text {
            let continues = character.isLetter || character.isNumber || character == "_"
            if continues, isWord {
                parts[parts.count - 1].append(character)
            } else {
                parts.append(String(character))
            }
            isWord = continues
        }
        return parts
    }

    /// Returns a sample with a part repeated or nested many times, which could take too long or overflow the stack.
    private mutating func repeated() -> String {
        let count = 1 << Int.random(in: 0...10, using: &random)
        let parts = Self.parts(of: sample())
        let position = Int.random(in: 0..<max(1, parts.count), using: &random)
        let piece = Bool.random(using: &random) ? word() + separator() : parts.dropFirst(position).prefix(4).joined()
        let middle = String(repeating: piece, count: count)
        return parts.prefix(position).joined() + middle + parts.dropFirst(position).joined()
    }
}
