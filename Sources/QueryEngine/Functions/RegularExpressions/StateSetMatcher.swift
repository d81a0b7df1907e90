/// Matches by following all ways through a program at the same time, character by character (Thompson's construction, in Pike's form
/// that knows where groups are). No character is looked at more than once in any state, so the time is at most in proportion to the
/// text times the program, and the memory to the program.
struct StateSetMatcher {
    typealias Failure = RegularExpression.Failure

    /// The states at one place of the text, the best first, each once.
    fileprivate struct States {
        var list: [Int] = []
        /// For each state the positions that it has saved.
        var slots: [Int]
        /// For each state the number of the place at which it was entered last.
        var entered: [Int]

        init(_ count: Int, slotCount: Int) {
            slots = Array(repeating: -1, count: count * slotCount)
            entered = Array(repeating: -1, count: count)
        }
    }

    /// What a search works with, to be used for the next one too.
    struct Memory {
        let slotCount: Int
        fileprivate var current: States
        fileprivate var previous: States
        fileprivate var pending: [Pending] = []
        fileprivate var slots: [Int]
        /// The number of the place that is looked at. Counts on from one search to the next.
        fileprivate var place = 0

        init(_ program: RegularExpressionProgram, slotCount: Int) {
            self.slotCount = slotCount
            current = States(program.instructions.count, slotCount: slotCount)
            previous = current
            slots = Array(repeating: -1, count: slotCount)
        }
    }

    /// What is still to be followed while states are entered.
    fileprivate enum Pending {
        case state(Int)
        /// The position that a slot had before.
        case slot(Int, Int)
    }

    private let program: RegularExpressionProgram
    private let text: UnsafeRawBufferPointer
    private let slotCount: Int
    private(set) var memory: Memory
    /// Set when it has been found that there is a match, and nothing else is asked.
    private var isFound = false

    init(_ program: RegularExpressionProgram, _ text: UnsafeRawBufferPointer, _ memory: Memory) {
        self.program = program
        self.text = text
        self.memory = memory
        slotCount = memory.slotCount
    }

    /// The slots of the leftmost match from a place on.
    mutating func search(from start: Int, effort: inout MatchEffort) throws(Failure) -> [Int]? {
        var match: [Int]?
        var position = start
        memory.current.list.removeAll(keepingCapacity: true)
        memory.previous.list.removeAll(keepingCapacity: true)
        memory.pending.removeAll(keepingCapacity: true)
        while true {
            if memory.current.list.isEmpty {
                if match != nil { return match }
                guard let next = try firstCandidate(from: position, effort: &effort) else { return nil }
                position = next
                memory.place += 1
            }
            if match == nil {
                for index in 0..<slotCount { memory.slots[index] = -1 }
                try enter(0, at: position, effort: &effort)
                if isFound { return [] }
            }
            swap(&memory.current, &memory.previous)
            memory.place += 1
            if let found = try step(&position, effort: &effort) { match = found }
            if isFound { return [] }
            memory.previous.list.removeAll(keepingCapacity: true)
            if position > text.count { return match }
        }
    }

    /// The next place at which a match can begin; nil when there is none.
    private func firstCandidate(from start: Int, effort: inout MatchEffort) throws(Failure) -> Int? {
        guard let first = program.firstBytes else { return start }
        var position = start
        while position < text.count, !first[Int(text[position])] { position += 1 }
        guard effort.spend((position - start) / 16) else { throw .interrupted }
        return position < text.count ? position : nil
    }

    /// Takes the character at the position in all states, which are the previous ones by now, and enters those that come next. Returns the slots of a match that is better than all that go on.
    private mutating func step(_ position: inout Int, effort: inout MatchEffort) throws(Failure) -> [Int]? {
        let isAtEnd = position >= text.count
        let (code, next) = isAtEnd ? (UInt32.max, position + 1) : text.codePoint(at: position)
        position = next
        for number in memory.previous.list.indices {
            let state = memory.previous.list[number]
            guard effort.spend() else { throw .interrupted }
            let isTaken: Bool
            switch program.instructions[state] {
            case .character(let wanted): isTaken = wanted == code
            case .set(let ascii, let number):
                isTaken = code < 0x80 ? ascii.contains(code) : !isAtEnd && program.sets[number].containsRare(code)
            case .match:
                // Those behind it are worse.
                return Array(memory.previous.slots[(state * slotCount)..<(state * slotCount + slotCount)])
            default: isTaken = false
            }
            guard isTaken else { continue }
            for index in 0..<slotCount { memory.slots[index] = memory.previous.slots[state * slotCount + index] }
            try enter(state + 1, at: next, effort: &effort)
            if isFound { return nil }
        }
        return nil
    }

    /// Enters a state, and all that can be reached from it without a character.
    private mutating func enter(_ first: Int, at position: Int, effort: inout MatchEffort) throws(Failure) {
        memory.pending.append(.state(first))
        while let next = memory.pending.popLast() {
            switch next {
            case .slot(let index, let value): memory.slots[index] = value
            case .state(let state):
                guard memory.current.entered[state] != memory.place else { continue }
                guard effort.spend() else { throw .interrupted }
                memory.current.entered[state] = memory.place
                follow(state, at: position)
                if isFound { return }
            }
        }
    }

    private mutating func follow(_ state: Int, at position: Int) {
        switch program.instructions[state] {
        case .split(let better, let worse):
            memory.pending.append(.state(worse))
            memory.pending.append(.state(better))
        case .jump(let target): memory.pending.append(.state(target))
        case .save(let slot):
            if slot < slotCount {
                memory.pending.append(.slot(slot, memory.slots[slot]))
                memory.slots[slot] = position
            }
            memory.pending.append(.state(state + 1))
        case .start: if position == 0 { memory.pending.append(.state(state + 1)) }
        case .end: if position == text.count { memory.pending.append(.state(state + 1)) }
        case .wordBoundary(let isNegated):
            if text.isWordBoundary(at: position) != isNegated { memory.pending.append(.state(state + 1)) }
        // A state is entered once at a place, so a round that matches nothing leads nowhere new.
        case .beginRound, .endRound: memory.pending.append(.state(state + 1))
        case .match where slotCount == 0: isFound = true
        case .character, .set, .match:
            memory.current.list.append(state)
            for index in 0..<slotCount { memory.current.slots[state * slotCount + index] = memory.slots[index] }
        // No program that is matched here has them.
        case .backReference, .lookAhead: break
        }
    }
}
