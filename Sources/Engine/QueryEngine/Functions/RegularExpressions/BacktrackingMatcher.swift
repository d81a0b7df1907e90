/// Matches by trying one alternative after the other, for patterns with look-aheads or back-references, which cannot be matched otherwise.
/// The number of steps is limited, because the number of alternatives can be exponential.
struct BacktrackingMatcher {
    typealias Failure = RegularExpression.Failure

    private enum Choice {
        /// An alternative to try: a state and a position.
        case branch(Int, Int)
        /// A slot and its previous value.
        case slot(Int, Int)
    }

    private let program: RegularExpressionProgram
    private let text: UnsafeRawBufferPointer
    /// The positions of groups, followed by the start positions of loop iterations.
    private var slots: [Int]
    private let limit: Int

    init(_ program: RegularExpressionProgram, _ text: UnsafeRawBufferPointer) {
        self.program = program
        self.text = text
        slots = Array(repeating: -1, count: program.slotCount + program.loopCount)
        limit = Self.limit(forTextOf: text.count)
    }

    /// The maximum number of steps of all searches in a text that have the same ``MatchEffort``: enough for any pattern that scans the
    /// text a hundred times.
    static func limit(forTextOf count: Int) -> Int { 1_000_000 + 100 * count }

    /// The maximum number of pending choices, of 24 bytes each.
    private static let maximumChoices = 8_000_000

    /// Returns the slots of the leftmost match at or after `start`; `nil` if there is none.
    mutating func search(from start: Int, effort: inout MatchEffort) throws(Failure) -> [Int]? {
        // The slots are initialized for each search, and copied for its match.
        try spend(slots.count / 16, &effort)
        var position = start
        while position <= text.count {
            if let first = program.firstBytes {
                guard position < text.count else { return nil }
                guard first[Int(text[position])] else {
                    position += 1
                    continue
                }
            }
            // An attempt that fails leaves the slots as they were.
            if try matches(0, at: position, effort: &effort) { return Array(slots.prefix(program.slotCount)) }
            position = position < text.count ? text.codePoint(at: position).next : position + 1
        }
        return nil
    }

    /// Returns whether a match can be reached from a state at a position. If so, the slots are those of the preferred match.
    private mutating func matches(_ first: Int, at start: Int, effort: inout MatchEffort) throws(Failure) -> Bool {
        var choices: [Choice] = []
        var (state, position) = (first, start)
        while true {
            guard choices.count < Self.maximumChoices else { throw .tooManySteps }
            try spend(1, &effort)
            var next: Int? = state + 1
            switch program.instructions[state] {
            case .match: return true
            case .character, .set: next = consume(state, &position) ? next : nil
            case .split(let better, let worse):
                choices.append(.branch(worse, position))
                next = better
            case .jump(let target): next = target
            case .save(let slot):
                // When a group begins again, its old end is cleared, so that a back-reference inside it does not repeat the last iteration.
                if slot.isMultiple(of: 2), slots[slot + 1] >= 0 { save(-1, in: slot + 1, &choices) }
                save(position, in: slot, &choices)
            case .beginIteration(let loop): save(position, in: program.slotCount + loop, &choices)
            case .endIteration(let loop): if slots[program.slotCount + loop] == position { next = nil }
            case .start: if position != 0 { next = nil }
            case .end: if position != text.count { next = nil }
            case .wordBoundary(let isNegated): if text.isWordBoundary(at: position) == isNegated { next = nil }
            case .backReference(let group): if try !repeatGroup(group, &position, &effort) { next = nil }
            case .lookAhead(let isNegated, let behind):
                // The slots are copied and compared.
                try spend(slots.count / 16, &effort)
                let before = slots
                let isMatched = try matches(state + 1, at: position, effort: &effort)
                if isMatched, !isNegated {
                    for index in before.indices where before[index] != slots[index] {
                        choices.append(.slot(index, before[index]))
                    }
                } else {
                    slots = before
                }
                next = isMatched != isNegated ? behind : nil
            }
            if let next {
                state = next
                continue
            }
            // Backtracks to the last choice.
            guard let branch = backtrack(&choices) else { return false }
            (state, position) = branch
        }
    }

    /// Counts steps. Copying 16 numbers or comparing 16 bytes counts as one step.
    @inline(__always)
    private func spend(_ count: Int, _ effort: inout MatchEffort) throws(Failure) {
        effort.backtracked += count
        guard effort.backtracked < limit else { throw .tooManySteps }
        guard effort.spend(count) else { throw .interrupted }
    }

    private mutating func save(_ position: Int, in slot: Int, _ choices: inout [Choice]) {
        choices.append(.slot(slot, slots[slot]))
        slots[slot] = position
    }

    private mutating func backtrack(_ choices: inout [Choice]) -> (Int, Int)? {
        while let choice = choices.popLast() {
            switch choice {
            case .branch(let state, let position): return (state, position)
            case .slot(let index, let value): slots[index] = value
            }
        }
        return nil
    }

    private func consume(_ state: Int, _ position: inout Int) -> Bool {
        guard position < text.count else { return false }
        let (code, next) = text.codePoint(at: position)
        switch program.instructions[state] {
        case .character(let wanted): guard wanted == code else { return false }
        case .set(let ascii, let number):
            guard code < 0x80 ? ascii.contains(code) : program.sets[number].containsRare(code) else { return false }
        default: return false
        }
        position = next
        return true
    }

    /// Consumes a repetition of the text that a group has matched. Fails if the group has not participated, or if this is inside of it.
    private func repeatGroup(_ group: Int, _ position: inout Int, _ effort: inout MatchEffort) throws(Failure) -> Bool {
        let (start, end) = (slots[group * 2], slots[group * 2 + 1])
        guard start >= 0, end >= start, position + (end - start) <= text.count else { return false }
        for offset in 0..<(end - start) {
            guard text[start + offset] == text[position + offset] else { return false }
            if offset & 15 == 15 { try spend(1, &effort) }
        }
        position += end - start
        return true
    }
}
