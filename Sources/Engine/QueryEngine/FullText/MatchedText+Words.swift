import SQLiteEngine

/// Parts of a text that are counted in words: what is between spaces, and in scripts without spaces each letter.
extension MatchedText {
    /// Returns the bytes of the best part of at most so many words of the text.
    func part(around found: [Word], count limit: Int) -> Range<Int> {
        let all = wordRanges
        guard let last = all.indices.last else { return 0..<bytes.count }
        var found = found
        var (first, end) = (0, 0)
        for index in found.indices {
            while first < last, all[first].upperBound <= found[index].bytes.lowerBound { first += 1 }
            end = max(end, first + 1)
            while end <= last, all[end].lowerBound < found[index].bytes.upperBound { end += 1 }
            found[index].positions = first..<end
        }
        let used =
            best(of: found, length: limit).map { found[$0.lowerBound].positions.lowerBound..<found[$0.upperBound].positions.upperBound }
            ?? 0..<0
        let free = max(0, limit - used.count)
        // More context after the words than before them, unless the text ends there.
        let after = min(free, all.count - used.upperBound)
        let start = max(0, used.lowerBound - max(free / 3, free - after))
        let stop = min(all.count, start + limit)
        let lower = start == 0 ? 0 : all[start].lowerBound
        return wholeCharacters(lower..<(stop == all.count ? bytes.count : all[stop - 1].upperBound))
    }

    /// The words of the text, in order.
    private var wordRanges: [Range<Int>] {
        var words: [Range<Int>] = []
        var (offset, start) = (0, 0)
        var isInside = false
        var isUnspaced = false
        while offset < bytes.count {
            let (scalar, next) = codePoint(at: offset)
            if scalar.isSpace {
                if isInside { words.append(start..<offset) }
                isInside = false
            } else if !isInside {
                (isInside, start, isUnspaced) = (true, offset, FullTextAnalyzer.hasNoSpaces(scalar))
            } else if scalar.value >= 0x30, isUnspaced || scalar.value >= 0xE00 {
                let isNext = FullTextAnalyzer.hasNoSpaces(scalar)
                if isNext || isUnspaced && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil) {
                    words.append(start..<offset)
                    (start, isUnspaced) = (offset, isNext)
                }
            }
            offset = next
        }
        if isInside { words.append(start..<bytes.count) }
        return words
    }

    /// Returns the code point at an offset, and the offset of the next one.
    private func codePoint(at offset: Int) -> (Unicode.Scalar, next: Int) {
        let first = bytes[offset]
        if first < 0x80 { return (Unicode.Scalar(first), offset + 1) }
        let next = end(of: offset + 1)
        var rest = bytes[offset..<next].makeIterator()
        var decoder = UTF8()
        if case .scalarValue(let scalar) = decoder.decode(&rest) { return (scalar, next) }
        return ("\u{FFFD}", next)
    }
}

extension Unicode.Scalar {
    fileprivate var isSpace: Bool { value < 0x80 ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace }
}
