/// A regular expression as a list of instructions, for the matchers.
struct RegularExpressionProgram {
    typealias Failure = RegularExpression.Failure

    enum Instruction {
        case character(UInt32)
        /// One character out of the set of that number, of which those in ASCII are at hand.
        case set(CodePointSet.ASCII, Int)
        /// Two ways to go on, the better one first.
        case split(Int, Int)
        case jump(Int)
        /// Notes the position: at twice the number of a group its start, behind that its end.
        case save(Int)
        case start
        case end
        case wordBoundary(isNegated: Bool)
        case backReference(Int)
        /// A look-ahead, whose own instructions come next, up to a `match`, and where to go on.
        case lookAhead(isNegated: Bool, next: Int)
        /// Notes where a round of a repetition begins, which can match nothing.
        case beginRound(Int)
        /// A round that has matched nothing is none.
        case endRound(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [CodePointSet] = []
    let groupCount: Int
    let needsBacktracking: Bool
    /// How many repetitions have rounds to be noted.
    private(set) var roundCount = 0
    /// For each byte, whether a match can begin with it; nil when one can be empty, or nothing is known.
    private(set) var firstBytes: [Bool]?

    /// How many instructions a program may have: 50,000 are about 2 MB.
    static let maximumSize = 50_000

    init(_ pattern: RegularExpressionParser.Pattern) throws(Failure) {
        groupCount = pattern.groupCount
        needsBacktracking = pattern.needsBacktracking
        try append(.group(0, pattern.root))
        try emit(.match)
        firstBytes = findFirstBytes()
    }

    /// How many positions are saved: two for each group and for the whole.
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
                // However often nothing is repeated, it is nothing.
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
            let place = instructions.count
            try emit(.jump(0))
            try append(part)
            try emit(.match)
            instructions[place] = .lookAhead(isNegated: isNegated, next: instructions.count)
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
        let round = part.canBeEmpty ? roundCount : nil
        if let round {
            roundCount += 1
            try emit(.beginRound(round))
        }
        try append(part)
        if let round { try emit(.endRound(round)) }
        try emit(.jump(split))
        instructions[split] = Self.split(split + 1, instructions.count, isGreedy)
    }

    private static func split(_ inside: Int, _ outside: Int, _ isGreedy: Bool) -> Instruction {
        isGreedy ? .split(inside, outside) : .split(outside, inside)
    }

    /// Follows all ways from the beginning to the first character.
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
            case .save, .start, .end, .wordBoundary, .beginRound, .endRound: open.append(at + 1)
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
    /// The code point at a place, and where the next begins. What is no UTF-8 counts as U+FFFD, byte by byte.
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
        var code = UInt32(lead) & (0x3F >> UInt32(count))
        for offset in 1...count {
            let byte = self[index + offset]
            guard byte & 0xC0 == 0x80 else { return (0xFFFD, index + 1) }
            code = code << 6 | UInt32(byte & 0x3F)
        }
        return (code, index + 1 + count)
    }

    /// Whether a place lies between a letter, digit or underscore of ASCII and something else.
    func isWordBoundary(at index: Int) -> Bool {
        func isWord(_ byte: UInt8) -> Bool {
            byte == 0x5F || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
        }
        return (index > 0 && isWord(self[index - 1])) != (index < count && isWord(self[index]))
    }
}
