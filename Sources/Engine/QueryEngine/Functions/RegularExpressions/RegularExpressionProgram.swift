import QueryLanguage

/// A regular expression compiled to a list of instructions for the matchers.
struct RegularExpressionProgram {
    typealias Failure = RegularExpression.Failure

    enum Instruction {
        case character(UInt32)
        /// Matches one character of a set: its ASCII members, and its index in ``sets``.
        case set(CodePointSet.ASCII, Int)
        /// Continues at one of two instructions, the preferred one first.
        case split(Int, Int)
        case jump(Int)
        /// Saves the position in a slot: twice the number of a group for its start, the next slot for its end.
        case save(Int)
        case start
        case end
        case wordBoundary(isNegated: Bool)
        case backReference(Int)
        /// A look-ahead. Its own instructions follow, up to a `match`; `next` is where the program continues.
        case lookAhead(isNegated: Bool, next: Int)
        /// Saves the start of an iteration of a loop whose body can match the empty string.
        case beginIteration(Int)
        /// Rejects an iteration that has matched the empty string.
        case endIteration(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [CodePointSet] = []
    let groupCount: Int
    let needsBacktracking: Bool
    /// The number of loops with ``Instruction/beginIteration(_:)``.
    private(set) var loopCount = 0
    /// For each byte, whether a match can start with it; `nil` if a match can be empty or nothing is known.
    private(set) var firstBytes: [Bool]?

    /// The maximum number of instructions; 50,000 take about 2 MB.
    static let maximumSize = 50_000

    init(_ pattern: RegularExpressionParser.Pattern) throws(Failure) {
        groupCount = pattern.groupCount
        needsBacktracking = pattern.needsBacktracking
        try append(.group(0, pattern.root))
        try emit(.match)
        firstBytes = findFirstBytes()
    }

    /// The number of saved positions: two for each group and two for the whole match.
    var slotCount: Int { (groupCount + 1) * 2 }

    private mutating func emit(_ instruction: Instruction) throws(Failure) {
        guard instructions.count < Self.maximumSize else { throw .tooLarge }
        instructions.append(instruction)
    }

    private mutating func append(_ node: RegularExpressionNode) throws(Failure) {
        switch node {
        case .empty: break
        case .character(let code): try emit(.character(code))
        case .set(let set):
            sets.append(set)
            try emit(.set(set.ascii, sets.count - 1))
        case .sequence(let parts): for part in parts { try append(part) }
        case .alternatives(let parts): try append(alternatives: parts)
        case .group(let number, let part):
            try emit(.save(number * 2))
            try append(part)
            try emit(.save(number * 2 + 1))
        case .repetition(let part, let least, let most, let isGreedy):
            let start = instructions.count
            for _ in 0..<least {
                try append(part)
                // A part without instructions does not need to be repeated.
                if instructions.count == start { break }
            }
            guard let most else { return try append(loop: part, isGreedy) }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(instructions.count)
                try emit(.jump(0))
                try append(part)
            }
            for split in splits { instructions[split] = Self.split(split + 1, instructions.count, isGreedy) }
        case .start: try emit(.start)
        case .end: try emit(.end)
        case .wordBoundary(let isNegated): try emit(.wordBoundary(isNegated: isNegated))
        case .backReference(let number): try emit(.backReference(number))
        case .lookAhead(let part, let isNegated):
            let lookAhead = instructions.count
            try emit(.jump(0))
            try append(part)
            try emit(.match)
            instructions[lookAhead] = .lookAhead(isNegated: isNegated, next: instructions.count)
        }
    }

    private mutating func append(alternatives parts: [RegularExpressionNode]) throws(Failure) {
        var ends: [Int] = []
        for (number, part) in parts.enumerated() {
            guard number < parts.count - 1 else {
                try append(part)
                break
            }
            let split = instructions.count
            try emit(.jump(0))
            try append(part)
            ends.append(instructions.count)
            try emit(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    private mutating func append(loop part: RegularExpressionNode, _ isGreedy: Bool) throws(Failure) {
        let split = instructions.count
        try emit(.jump(0))
        let loop = part.canBeEmpty ? loopCount : nil
        if let loop {
            loopCount += 1
            try emit(.beginIteration(loop))
        }
        try append(part)
        if let loop { try emit(.endIteration(loop)) }
        try emit(.jump(split))
        instructions[split] = Self.split(split + 1, instructions.count, isGreedy)
    }

    private static func split(_ inside: Int, _ outside: Int, _ isGreedy: Bool) -> Instruction {
        isGreedy ? .split(inside, outside) : .split(outside, inside)
    }

    /// Computes ``firstBytes`` by following all paths from the start to the first character.
    private func findFirstBytes() -> [Bool]? {
        var bytes = Array(repeating: false, count: 256)
        var seen = Array(repeating: false, count: instructions.count)
        var open = [0]
        while let at = open.popLast() {
            guard !seen[at] else { continue }
            seen[at] = true
            switch instructions[at] {
            case .match, .backReference, .lookAhead: return nil
            case .split(let first, let second): open += [second, first]
            case .jump(let next): open.append(next)
            case .save, .start, .end, .wordBoundary, .beginIteration, .endIteration: open.append(at + 1)
            case .character(let code):
                if code < 0x80 { bytes[Int(code)] = true } else { for byte in 0x80...0xFF { bytes[byte] = true } }
            case .set(let ascii, let number):
                for code in 0..<UInt32(0x80) where ascii.contains(code) { bytes[Int(code)] = true }
                if sets[number].hasRare { for byte in 0x80...0xFF { bytes[byte] = true } }
            }
        }
        return bytes
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the code point at an index, and the index of the next one. Invalid UTF-8 counts as U+FFFD, byte by byte.
    @inline(__always)
    func codePoint(at index: Int) -> (code: UInt32, next: Int) {
        let lead = self[index]
        if lead < 0x80 { return (UInt32(lead), index + 1) }
        return rareCodePoint(at: index, lead)
    }

    private func rareCodePoint(at index: Int, _ lead: UInt8) -> (code: UInt32, next: Int) {
        let count: Int
        switch lead {
        case 0xC2...0xDF: count = 1
        case 0xE0...0xEF: count = 2
        case 0xF0...0xF4: count = 3
        default: return (0xFFFD, index + 1)
        }
        guard index + count < self.count else { return (0xFFFD, index + 1) }
        // Neither overlong forms, nor surrogates, nor codes above U+10FFFF (RFC 3629, section 4).
        let second = self[index + 1]
        switch lead {
        case 0xE0 where second < 0xA0, 0xED where second > 0x9F, 0xF0 where second < 0x90, 0xF4 where second > 0x8F:
            return (0xFFFD, index + 1)
        default: break
        }
        var code = UInt32(lead) & (0x3F >> UInt32(count))
        for offset in 1...count {
            let byte = self[index + offset]
            guard byte & 0xC0 == 0x80 else { return (0xFFFD, index + 1) }
            code = code << 6 | UInt32(byte & 0x3F)
        }
        return (code, index + 1 + count)
    }

    /// Returns whether only one of the characters before and after an index is an ASCII letter, digit or underscore.
    func isWordBoundary(at index: Int) -> Bool {
        func isWord(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit }
        return (index > 0 && isWord(self[index - 1])) != (index < count && isWord(self[index]))
    }
}
