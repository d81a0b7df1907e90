/// A word that is also found if some letters are added, removed or replaced (Query 6.13).
struct FuzzyWord {
    static let maximumDistance = 2
    /// The longest word to which this applies, in letters.
    private static let longestWord = 64
    /// The most terms of the index that are compared.
    private static let maximumComparisons = 1_000_000
    /// How many terms that cannot be like the word are read before the next one that can is looked up, which takes longer than reading a few.
    private static let skipsBeforeLookup = 20

    private let words: [[Unicode.Scalar]]
    private let distance: Int
    private let stem: [UInt8]

    /// - Parameters:
    ///   - word: The folded word.
    ///   - stem: Its stem, which is in the index in place of the word.
    ///   - distance: The most letters that differ. Half of the letters must be the same.
    init(_ word: [UInt8], stem: [UInt8], distance: Int) {
        self.stem = stem
        words = Set([word, stem]).map { Array(String(decoding: $0, as: UTF8.self).unicodeScalars) }
        self.distance = min(distance, (words.map(\.count).min() ?? 0) / 2)
    }

    /// Returns the terms that are like the word, the best ones first: those with fewer different letters, then those in more documents.
    ///
    /// Terms that begin in ways in which no such term begins are not read, but for the first few of them. The fewer letters may differ, the more
    /// terms are skipped.
    func terms(in vocabulary: inout Vocabulary) throws -> [[UInt8]] {
        guard distance > 0, words.allSatisfy({ $0.count <= Self.longestWord }) else { return [] }
        var found: [(term: [UInt8], distance: Int, documents: Int)] = []
        var remaining = Self.maximumComparisons
        var automaton = LevenshteinAutomaton(words, limit: distance)
        var skipped: (end: [UInt8], count: Int)?
        try vocabulary.readTerms(from: []) { term, documents in
            remaining -= 1
            guard remaining > 0 else { return .stop }
            if let (end, count) = skipped, term.lexicographicallyPrecedes(end) {
                skipped?.count += 1
                return count < Self.skipsBeforeLookup ? .next : .seek(end)
            }
            skipped = nil
            switch automaton.read(term) {
            case .match(let distance):
                if !term.elementsEqual(stem) { found.append((Array(term), distance, documents)) }
            case .noMatch: break
            case .dead(let next):
                guard let next else { return .stop }
                skipped = (next, 0)
            }
            return .next
        }
        found.sort { ($0.distance, -$0.documents) < ($1.distance, -$1.documents) }
        return found.prefix(PatternExpansion.maximumTermCount.ofWord).map(\.term)
    }

    // MARK: Marks

    /// Returns the distance that a byte before a word stands for; 0 if it is no such mark. These control characters separate words otherwise.
    static func distance(ofMark byte: UInt8) -> Int { byte == 2 ? 1 : byte == 3 ? 2 : 0 }

    /// Returns a text as a pattern with the mark of a distance before each word. Other characters of patterns than letters become spaces.
    static func marked(_ text: UnsafeRawBufferPointer, distance: Int) -> [UInt8] {
        let mark: [UInt8] = distance == 0 ? [] : [UInt8(distance + 1)]
        var pattern: [UInt8] = []
        var isInside = false
        for byte in text {
            // What separates words in ASCII. Other separators stay, and the word after them gets no mark.
            let isLetter =
                byte >= 0x80 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            if isLetter {
                if !isInside { pattern += mark.isEmpty ? [FuzzyWord.plainMark] : mark }
                pattern.append(byte)
            } else if isInside {
                pattern.append(UInt8(ascii: " "))
            }
            isInside = isLetter
        }
        return pattern
    }

    /// A separator before a word, so that it is never an operator.
    private static let plainMark: UInt8 = 4
}
