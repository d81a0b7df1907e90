import SQLiteEngine

/// Finds the stems of the words that begin with a prefix. The index has no words, only their stems: "alternativ" is longer than "altern", the
/// stem of "alternative".
///
/// Such a stem begins like the prefix, and may end with other letters than the word: "sky" is the stem of "skies". The candidates are looked up
/// from the longest common beginning down, and the texts that contain them are searched for words with the prefix.
struct StemSearch {
    /// The most terms that are read, the most texts of a candidate, the most texts of all, and the most bytes in them.
    private static let limits = (terms: 5_000, textsOfCandidate: 200, texts: 2_000, bytes: 8 << 20)
    /// How many letters a stem may have in place of the end of the word.
    private static let changedLetters = 2

    private let prefix: [UInt8]
    /// FTS4 finds the terms that begin with the stem of the prefix.
    private let known: [UInt8]
    private let analyzer: FullTextAnalyzer

    init(prefix: [UInt8], _ analyzer: FullTextAnalyzer) {
        (self.prefix, self.analyzer) = (prefix, analyzer)
        known = analyzer.stem(of: prefix)
    }

    /// Returns the stems that FTS4 does not find, sorted.
    func terms(in vocabulary: inout Vocabulary) throws -> [[UInt8]] {
        var (texts, bytes) = (0, 0)
        var found: Set<[UInt8]> = []
        // The texts of the candidates that are like the prefix come first.
        for candidate in try candidates(in: &vocabulary)
        where !found.contains(candidate) && texts < Self.limits.texts && bytes < Self.limits.bytes {
            var textsOfCandidate = 0
            try vocabulary.forEachText(with: candidate) { text in
                found.formUnion(stems(in: text))
                textsOfCandidate += 1
                texts += 1
                bytes += text.count
                return !found.contains(candidate) && textsOfCandidate < Self.limits.textsOfCandidate && texts < Self.limits.texts
                    && bytes < Self.limits.bytes
            }
        }
        return found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the stems, which FTS4 does not find, of the words in a text that begin with the prefix.
    private func stems(in text: UnsafeBufferPointer<UInt8>) -> Set<[UInt8]> {
        var stems: Set<[UInt8]> = []
        analyzer.forEachWord(of: text) { word, _ in
            guard word.starts(with: prefix) else { return true }
            let stem = analyzer.stem(of: Array(word))
            if !stem.starts(with: known) { stems.insert(stem) }
            return true
        }
        return stems
    }

    /// Returns the terms that may be stems of words with the prefix.
    private func candidates(in vocabulary: inout Vocabulary) throws -> [[UInt8]] {
        let letters = letterEnds(of: prefix)
        var remaining = Self.limits.terms
        var candidates: [[UInt8]] = []
        if !prefix.starts(with: known) {
            candidates += try terms(beginningWith: prefix, except: nil, maximum: .max, &remaining, in: &vocabulary)
        }
        // A stem has at least two letters, and a third of the letters of its word.
        let shortest = max(2, letters.count / 3)
        guard letters.count > shortest else { return candidates }
        for count in (shortest..<letters.count).reversed() where remaining > 0 {
            candidates += try terms(
                beginningWith: Array(prefix[..<letters[count - 1]]),
                except: Array(prefix[..<letters[count]]),
                maximum: count + Self.changedLetters,
                &remaining,
                in: &vocabulary
            )
        }
        return candidates
    }

    /// Returns the terms of at most so many letters that begin in one way and not in another one, which is a longer one.
    private func terms(
        beginningWith beginning: [UInt8],
        except other: [UInt8]?,
        maximum: Int,
        _ remaining: inout Int,
        in vocabulary: inout Vocabulary
    ) throws -> [[UInt8]] {
        var terms: [[UInt8]] = []
        // The terms with the other beginning are skipped: they have been read before.
        for start in [beginning] + (other.flatMap(Self.following).map { [$0] } ?? []) {
            let isAfterOther = start != beginning
            try vocabulary.forEachTerm(from: start) { term, _ in
                remaining -= 1
                guard term.starts(with: beginning), remaining > 0, isAfterOther || other.map({ !term.starts(with: $0) }) ?? true else {
                    return false
                }
                if letterEnds(of: term).count <= maximum, !term.starts(with: known) { terms.append(Array(term)) }
                return true
            }
        }
        return terms
    }

    /// Returns the first text after all that begin with this one; `nil` if there is none.
    private static func following(_ beginning: [UInt8]) -> [UInt8]? {
        guard let last = String(decoding: beginning, as: UTF8.self).unicodeScalars.last,
            let next = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1)
        else { return nil }
        return beginning.dropLast(UTF8.width(last)) + Array(String(next).utf8)
    }

    /// Returns the ends of the letters, in bytes.
    private func letterEnds(of text: some Collection<UInt8>) -> [Int] {
        var ends: [Int] = []
        for (position, byte) in text.enumerated() where byte & 0xC0 != 0x80 && position > 0 { ends.append(position) }
        return text.isEmpty ? ends : ends + [text.count]
    }
}
