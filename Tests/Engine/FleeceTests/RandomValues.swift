import Fleece
import TestSupport

/// Generates random values: as JSON text, or written into an encoder with all kinds of scalars.
struct RandomValues {
    private var generator: SeededGenerator
    private static let keys = [
        "a", "b", "name", "type", "city", "a longer key than sixteen bytes", "ключ", "with space", "k1", "k2", "k3", "",
    ]
    private static let words = [
        "", "x", "yes", "hello world", "été", "😀😀", "fifteen bytes..", "\"quoted\"\n", "tail\u{0}",
    ]

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    mutating func byte() -> UInt8 {
        UInt8.random(in: .min ... .max, using: &generator)
    }

    /// Writes a random value of at most `size` members and `depth` levels.
    mutating func write(into encoder: inout Encoder, depth: Int, size: Int = 8, onlyJSON: Bool = false) {
        switch number(0...(depth > 0 ? 12 : 7)) {
        case 0: encoder.writeNull()
        case 1: encoder.write(number(0...1) == 1)
        case 2: encoder.write(Int64(bitPattern: generator.next()) >> Int64(number(0...63)))
        case 3: encoder.write(unsigned: generator.next() >> UInt64(number(0...63)))
        case 4: encoder.write(Double(number(-100_000...100_000)) / 8)
        case 5: encoder.write(Double.random(in: -1e9...1e9, using: &generator))
        case 6 where !onlyJSON: encoder.write(Float.random(in: -1...1, using: &generator))
        case 7 where !onlyJSON:
            let data = (0..<number(0...20)).map { _ in byte() }
            data.withUnsafeBytes { encoder.write(data: $0) }
        case 6, 7, 8: encoder.write(word())
        case 9, 10:
            encoder.beginArray()
            for _ in 0..<number(0...size) { write(into: &encoder, depth: depth - 1, size: size, onlyJSON: onlyJSON) }
            encoder.endArray()
        default: writeDictionary(into: &encoder, depth: depth, size: size, onlyJSON: onlyJSON)
        }
    }

    /// Writes a random dictionary.
    mutating func writeDictionary(into encoder: inout Encoder, depth: Int, size: Int = 8, onlyJSON: Bool = false) {
        encoder.beginDictionary()
        for key in Self.keys.shuffled(using: &generator).prefix(number(0...size)) {
            encoder.writeKey(key)
            write(into: &encoder, depth: depth - 1, size: size, onlyJSON: onlyJSON)
        }
        encoder.endDictionary()
    }

    mutating func word() -> String {
        let word = Self.words[number(0...(Self.words.count - 1))]
        return number(0...9) == 0 ? String(repeating: word, count: number(1...40)) : word
    }
}
