import SQLiteEngine

/// A word that is also found if some letters are added, removed or replaced (Query 6.13).
struct FuzzyWord {
    static let maximumDistance = 2
    /// The longest word to which this applies, in letters.
    private static let longestWord = 64
    /// The most terms of the index that are compared.
    private static let maximumComparisons = 1_000_000

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
    func terms(in vocabulary: inout Vocabulary) throws -> [[UInt8]] {
        guard distance > 0, words.allSatisfy({ $0.count <= Self.longestWord }) else { return [] }
        var found: [(term: [UInt8], distance: Int, documents: Int)] = []
        var remaining = Self.maximumComparisons
        let rows = words.map { LevenshteinRows($0, limit: distance) }
        try vocabulary.forEachTerm(from: []) { term, documents in
            remaining -= 1
            if let distance = rows.compactMap({ $0.distance(to: term) }).min(), !term.elementsEqual(stem) {
                found.append((Array(term), distance, documents))
            }
            return remaining > 0
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

/// Computes how many letters of a word differ from those of others, by a table of which only the last row is kept. Ends as soon as more differ
/// than allowed.
private struct LevenshteinRows {
    private let word: [Unicode.Scalar]
    private let limit: Int

    init(_ word: [Unicode.Scalar], limit: Int) { (self.word, self.limit) = (word, limit) }

    /// Returns the distance; `nil` if it is above the limit.
    func distance(to term: UnsafeRawBufferPointer) -> Int? {
        guard term.count >= word.count - limit, term.count <= (word.count + limit) * 4 else { return nil }
        return withUnsafeTemporaryAllocation(of: Int.self, capacity: word.count + 1) { row in
            for index in 0...word.count { row.initializeElement(at: index, to: index) }
            var decoder = UTF8()
            var bytes = term.makeIterator()
            var length = 0
            while case .scalarValue(let scalar) = decoder.decode(&bytes) {
                length += 1
                var diagonal = row[0]
                row[0] = length
                var least = length
                for index in 1..<(word.count + 1) {
                    let above = row[index]
                    row[index] = min(above + 1, row[index - 1] + 1, diagonal + (word[index - 1] == scalar ? 0 : 1))
                    diagonal = above
                    least = min(least, row[index])
                }
                guard least <= limit else { return nil }
            }
            return row[word.count] <= limit ? row[word.count] : nil
        }
    }
}
