/// The UTF-8 bytes of a text, in which words were found.
struct MatchedText {
    let bytes: UnsafeBufferPointer<UInt8>

    /// A word that was found.
    struct Word {
        let term: Int
        fileprivate(set) var bytes: Range<Int>
        /// The positions of its ends, in code points, or in words of the text.
        var positions = 0..<0
    }

    func moved(_ range: Range<Int>, by distance: Int) -> Range<Int> { (range.lowerBound + distance)..<(range.upperBound + distance) }

    /// Returns the words that the text has, in ascending order and disjoint. No word divides a character: a word that ends before a combining
    /// mark, as many do in the scripts of India, ends after it.
    func words(_ hits: [RowMatches.Hit]) -> [Word] {
        var words: [Word] = []
        var end = 0
        for hit in hits.sorted(by: { $0.bytes.lowerBound < $1.bytes.lowerBound }) {
            let inside = hit.bytes.clamped(to: 0..<bytes.count)
            let range = start(of: inside.lowerBound)..<self.end(of: inside.upperBound)
            guard !inside.isEmpty, range.lowerBound >= end else { continue }
            end = range.upperBound
            let whole = wholeCharacters(range)
            if let last = words.indices.last, words[last].bytes.upperBound > whole.lowerBound {
                words[last].bytes = words[last].bytes.lowerBound..<max(words[last].bytes.upperBound, whole.upperBound)
            } else {
                words.append(Word(term: hit.term, bytes: whole))
            }
        }
        var (position, count) = (0, 0)
        for index in words.indices {
            let start = count + scalarCount(position..<words[index].bytes.lowerBound)
            count = start + scalarCount(words[index].bytes)
            position = words[index].bytes.upperBound
            words[index].positions = start..<count
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
    func best(of words: [Word], length: Int) -> ClosedRange<Int>? {
        var best: (range: ClosedRange<Int>, terms: Int)?
        var counts: [Int: Int] = [:]
        var end = 0
        for start in words.indices {
            while end < words.count, end == start || words[end].positions.upperBound - words[start].positions.lowerBound <= length {
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

    /// Returns the range with the rest of the characters at its ends. What is far from the range does not count.
    func wholeCharacters(_ range: Range<Int>) -> Range<Int> {
        var (lower, upper) = (range.lowerBound, range.upperBound)
        if !isBoundary(lower) { lower = characterStarts(in: start(of: max(0, lower - 64))..<(lower + 1)).last ?? lower }
        if !isBoundary(upper) {
            let limit = min(bytes.count, upper + 64)
            upper = characterStarts(in: upper..<limit).first ?? end(of: limit)
        }
        return lower..<max(lower, upper)
    }

    /// Whether a character certainly begins at an offset: between two ASCII characters, or at the ends.
    private func isBoundary(_ offset: Int) -> Bool {
        offset == 0 || offset >= bytes.count || bytes[offset] < 0x80 && bytes[offset - 1] < 0x80
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
    func end(of offset: Int) -> Int {
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
