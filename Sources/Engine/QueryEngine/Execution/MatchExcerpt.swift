/// A part of a text around words that were found in it, with their positions.
///
/// The part contains as many different terms as possible, whole if they are not longer than the limit. It begins and ends beside a space, or
/// else between two characters, and never divides a code point.
package struct MatchExcerpt: Hashable, Sendable {
    /// The part of the text.
    package let text: String
    /// The words in ``text``, in UTF-8 bytes, in ascending order and disjoint.
    package let matches: [Range<Int>]
    /// Whether the text continues before the part.
    package let isCutAtStart: Bool
    /// Whether the text continues after the part.
    package let isCutAtEnd: Bool

    /// Chooses the part of a text.
    ///
    /// - Parameters:
    ///   - source: The text.
    ///   - hits: The words that were found in it. Ranges that do not fit the text are shortened, or ignored if nothing is left.
    ///   - length: The maximum number of code points, at least 1.
    /// - Complexity: O(*n*) in the size of the text, in a loop over its bytes.
    package init(of source: String, _ hits: [RowMatches.Hit], length: Int) {
        var source = source
        self = source.withUTF8 { MatchExcerpt(TextBytes(bytes: $0), hits, length: length) }
    }

    private init(_ source: TextBytes, _ hits: [RowMatches.Hit], length: Int) {
        let words = source.words(hits)
        let part = source.part(around: words, length: length)
        text = String(decoding: source.bytes[part], as: UTF8.self)
        matches = words.map { $0.bytes.clamped(to: part) }.filter { !$0.isEmpty }.map { source.moved($0, by: -part.lowerBound) }
        (isCutAtStart, isCutAtEnd) = (part.lowerBound > 0, part.upperBound < source.bytes.count)
    }

    /// The words as ranges of the text.
    package var ranges: [Range<String.Index>] {
        matches.map { match in
            let start = text.utf8.index(text.startIndex, offsetBy: match.lowerBound)
            return start..<text.utf8.index(start, offsetBy: match.count)
        }
    }
}

/// The UTF-8 bytes of a text.
private struct TextBytes {
    let bytes: UnsafeBufferPointer<UInt8>

    /// A word that was found.
    struct Word {
        let term: Int
        let bytes: Range<Int>
        /// The positions of its ends, in code points.
        var scalars = 0..<0
    }

    func moved(_ range: Range<Int>, by distance: Int) -> Range<Int> { (range.lowerBound + distance)..<(range.upperBound + distance) }

    /// Returns the words that the text has, in ascending order and disjoint.
    func words(_ hits: [RowMatches.Hit]) -> [Word] {
        var words: [Word] = []
        for hit in hits.sorted(by: { $0.bytes.lowerBound < $1.bytes.lowerBound }) {
            let inside = hit.bytes.clamped(to: 0..<bytes.count)
            let range = start(of: inside.lowerBound)..<end(of: inside.upperBound)
            if !inside.isEmpty, range.lowerBound >= words.last?.bytes.upperBound ?? 0 { words.append(Word(term: hit.term, bytes: range)) }
        }
        var (position, count) = (0, 0)
        for index in words.indices {
            let start = count + scalarCount(position..<words[index].bytes.lowerBound)
            count = start + scalarCount(words[index].bytes)
            position = words[index].bytes.upperBound
            words[index].scalars = start..<count
        }
        return words
    }

    /// Returns the bytes of the best part.
    func part(around words: [Word], length: Int) -> Range<Int> {
        let chosen = best(of: words, length: length)
        let used = chosen.map { words[$0.lowerBound].bytes.lowerBound..<words[$0.upperBound].bytes.upperBound } ?? 0..<0
        let free = length - scalarCount(used)
        guard free > 0 else { return used.lowerBound..<offset(from: used.lowerBound, by: length) }
        // More context after the words than before them, unless the text ends there.
        let after = scalarCount(used.upperBound..<offset(from: used.upperBound, by: free))
        var start = offset(from: used.lowerBound, by: -max(free / 3, free - after))
        let end = offset(from: used.upperBound, by: free - scalarCount(start..<used.lowerBound))
        if start > 0 { start = beginning(in: start..<used.lowerBound) }
        return start..<(end < bytes.count ? ending(in: used.upperBound..<end) : end)
    }

    /// Returns the words that are near enough to each other for one part: the first ones with the most different terms and the most words.
    private func best(of words: [Word], length: Int) -> ClosedRange<Int>? {
        var best: (range: ClosedRange<Int>, terms: Int)?
        var counts: [Int: Int] = [:]
        var end = 0
        for start in words.indices {
            while end < words.count, end == start || words[end].scalars.upperBound - words[start].scalars.lowerBound <= length {
                counts[words[end].term, default: 0] += 1
                end += 1
            }
            let range = start...(end - 1)
            if (counts.count, range.count) > (best?.terms ?? 0, best?.range.count ?? 0) { best = (range, counts.count) }
            counts[words[start].term, default: 0] -= 1
            if counts[words[start].term] == 0 { counts[words[start].term] = nil }
        }
        return best?.range
    }

    // MARK: Places to cut

    /// Returns where a part begins that may begin anywhere in a range: at its first word, or else at a character.
    private func beginning(in range: Range<Int>) -> Int {
        if isSpace(range.lowerBound - 1) { return range.lowerBound }
        if let space = range.first(where: isSpace) { return range[space...].first { !isSpace($0) } ?? range.upperBound }
        return characterStarts(in: range).first ?? range.upperBound
    }

    /// Returns where a part ends that may end anywhere in a range: after its last whole word, or else after a character.
    private func ending(in range: Range<Int>) -> Int {
        let space = isSpace(range.upperBound) ? range.upperBound : range.last(where: isSpace)
        if let space { return range[..<min(space, range.upperBound)].last { !isSpace($0) }.map { $0 + 1 } ?? range.lowerBound }
        return characterStarts(in: range.lowerBound..<(range.upperBound + 1)).last ?? range.lowerBound
    }

    private func isSpace(_ offset: Int) -> Bool { bytes[offset] == 0x20 || (0x09...0x0D).contains(bytes[offset]) }

    /// Returns where characters start in a range. What is far from the range does not count, so a very long character may be divided.
    private func characterStarts(in range: Range<Int>) -> [Int] {
        let context = start(of: max(0, range.lowerBound - 64))..<end(of: min(bytes.count, range.upperBound + 64))
        var position = context.lowerBound
        var starts: [Int] = []
        for character in String(decoding: bytes[context], as: UTF8.self) {
            if range.contains(position) { starts.append(position) }
            position += character.utf8.count
        }
        return starts
    }

    // MARK: Code points

    private func isContinuation(_ offset: Int) -> Bool { bytes[offset] & 0xC0 == 0x80 }

    /// Returns the start of the code point at or before an offset.
    private func start(of offset: Int) -> Int {
        var offset = offset
        while offset > 0, offset < bytes.count, isContinuation(offset) { offset -= 1 }
        return offset
    }

    /// Returns the start of the code point at or after an offset.
    private func end(of offset: Int) -> Int {
        var offset = offset
        while offset < bytes.count, isContinuation(offset) { offset += 1 }
        return offset
    }

    private func scalarCount(_ range: Range<Int>) -> Int { range.reduce(0) { isContinuation($1) ? $0 : $0 + 1 } }

    /// Returns the offset some code points after another one, or before it, within the text.
    private func offset(from start: Int, by count: Int) -> Int {
        var (offset, remaining) = (start, count)
        while remaining > 0, offset < bytes.count {
            offset = end(of: offset + 1)
            remaining -= 1
        }
        while remaining < 0, offset > 0 {
            offset = self.start(of: offset - 1)
            remaining += 1
        }
        return offset
    }
}
