/// Matches by trying one way after the other, for the patterns that cannot be matched otherwise: with look-aheads or back-references.
/// The number of steps is limited, because some of them have more ways than anybody can wait for.
struct BacktrackingMatcher {
    typealias Failure = RegularExpression.Failure

    private enum Choice {
        /// Another way: a state and a position.
        case way(Int, Int)
        /// The value that a slot had before.
        case slot(Int, Int)
    }

    private let program: RegularExpressionProgram
    private let text: UnsafeRawBufferPointer
    /// The positions of groups, and behind them those of rounds.
    private var slots: [Int]
    private var stepsLeft: Int

    init(_ program: RegularExpressionProgram, _ text: UnsafeRawBufferPointer) {
        self.program = program
        self.text = text
        slots = Array(repeating: -1, count: program.slotCount + program.roundCount)
        stepsLeft = Self.limit(forTextOf: text.count)
    }

    /// How many steps a search may take: enough for any pattern that goes over the text a hundred times.
    static func limit(forTextOf count: Int) -> Int { 1_000_000 + 100 * count }

    /// How many choices are kept at most, of 24 bytes each.
    private static let maximumChoices = 8_000_000

    /// The slots of the leftmost match from a place on.
    mutating func search(from start: Int, effort: inout MatchEffort) throws(Failure) -> [Int]? {
        var position = start
        while position <= text.count {
            if let first = program.firstBytes {
                guard position < text.count else { return nil }
                guard first[Int(text[position])] else {
                    position += 1
                    continue
                }
            }
            for index in slots.indices { slots[index] = -1 }
            if try matches(0, at: position, effort: &effort) { return Array(slots.prefix(program.slotCount)) }
            position = position < text.count ? text.codePoint(at: position).next : position + 1
        }
        return nil
    }

    /// Whether there is a way from a state at a position to a match. The slots are then those of the best one.
    private mutating func matches(_ first: Int, at start: Int, effort: inout MatchEffort) throws(Failure) -> Bool {
        var choices: [Choice] = []
        var (state, position) = (first, start)
        while true {
            stepsLeft -= 1
            guard stepsLeft > 0, choices.count < Self.maximumChoices else { throw .tooManySteps }
            guard effort.spend() else { throw .interrupted }
            var next: Int? = state + 1
            switch program.instructions[state] {
            case .match: return true
            case .character, .set: next = take(state, &position) ? next : nil
            case .split(let better, let worse):
                choices.append(.way(worse, position))
                next = better
            case .jump(let target): next = target
            case .save(let slot): save(position, in: slot, &choices)
            case .beginRound(let round): save(position, in: program.slotCount + round, &choices)
            case .endRound(let round): if slots[program.slotCount + round] == position { next = nil }
            case .start: if position != 0 { next = nil }
            case .end: if position != text.count { next = nil }
            case .wordBoundary(let isNegated): if text.isWordBoundary(at: position) == isNegated { next = nil }
            case .backReference(let group): if !repeatGroup(group, &position) { next = nil }
            case .lookAhead(let isNegated, let behind):
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
            // Back to the last choice.
            guard let way = goBack(&choices) else { return false }
            (state, position) = way
        }
    }

    private mutating func save(_ position: Int, in slot: Int, _ choices: inout [Choice]) {
        choices.append(.slot(slot, slots[slot]))
        slots[slot] = position
    }

    private mutating func goBack(_ choices: inout [Choice]) -> (Int, Int)? {
        while let choice = choices.popLast() {
            switch choice {
            case .way(let state, let position): return (state, position)
            case .slot(let index, let value): slots[index] = value
            }
        }
        return nil
    }

    private func take(_ state: Int, _ position: inout Int) -> Bool {
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

    /// Takes what a group has matched once more. A group that took no part matches nothing.
    private func repeatGroup(_ group: Int, _ position: inout Int) -> Bool {
        let (start, end) = (slots[group * 2], slots[group * 2 + 1])
        guard start >= 0, end >= start, position + (end - start) <= text.count else { return false }
        for offset in 0..<(end - start) where text[start + offset] != text[position + offset] { return false }
        position += end - start
        return true
    }
}
