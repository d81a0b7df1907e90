import Foundation

/// The texts of the workloads of full-text search: number `i` is always the same, of words with the frequencies of a language.
struct Article {
    /// 2,000 words, the frequent ones first; they are made up, but for the first eight, which are English stop words.
    let words: [String]

    init() throws {
        guard let url = Bundle.module.url(forResource: "words", withExtension: "txt") else {
            throw WorkloadError.wrongResult("the list of words is missing")
        }
        words = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
        try expect(words.count, toBe: 2000, "words")
    }

    static func id(_ i: Int) -> String {
        let digits = String(i)
        return "fts-" + String(repeating: "0", count: max(0, 7 - digits.count)) + digits
    }

    /// 60 words in sentences of twelve.
    func body(_ i: Int) -> String {
        var random = RandomSequence(seed: UInt64(i) &* 0x9E37_79B9_7F4A_7C15 &+ 12345)
        var text = ""
        for k in 0..<60 {
            let a = random.next(below: 2000)
            let b = random.next(below: 2000)
            let word = words[Int(a * b / 2000)]
            if k > 0 { text += " " }
            text += k % 12 == 0 ? word.prefix(1).uppercased() + word.dropFirst() : word
            if k % 12 == 11 { text += "." }
        }
        return text
    }

    /// What is searched for: one or two words by turns.
    func patterns() -> [String] {
        var random = RandomSequence(seed: 99)
        return (0..<500).map { k in
            let first = words[8 + Int(random.next(below: 1992))]
            return k % 2 == 1 ? "\(first) \(words[8 + Int(random.next(below: 1992))])" : first
        }
    }
}
