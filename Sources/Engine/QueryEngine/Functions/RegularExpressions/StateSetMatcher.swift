/// Matches by following all paths through a program in parallel, character by character (Thompson's construction, with Pike's extension for
/// the positions of groups). No state examines a character more than once, so the time is at most proportional to the length of the text
/// times the size of the program, and the memory to the size of the program.
struct StateSetMatcher {
    typealias Failure = RegularExpression.Failure

    /// The states at one position of the text in order of preference, each at most once.
    fileprivate struct States {
        var list: [Int] = []
        /// The saved positions of each state.
        var slots: [Int]
        /// The value of ``Memory/positionNumber`` when each state was last entered.
        var entered: [Int]

        init(_ count: Int, slotCount: Int) {
            slots = Array(repeating: -1, count: count * slotCount)
            entered = Array(repeating: -1, count: count)
        }
    }

    /// The working memory of a search, which the next search reuses.
    struct Memory {
        let slotCount: Int
        fileprivate var current: States
        fileprivate var previous: States
        fileprivate var pending: [Pending] = []
        fileprivate var slots: [Int]
        /// The number of the position being examined. It continues to count from one search to the next.
        fileprivate var positionNumber = 0

        /// The number of positions of groups in each of the two sets of states: the size of the program times the number of slots.
        var size: Int { current.slots.count }

        init(_ program: RegularExpressionProgram, slotCount: Int) {
            self.slotCount = slotCount
            current = States(program.instructions.count, slotCount: slotCount)
            previous = current
            slots = Array(repeating: -1, count: slotCount)
        }
    }

    /// The remaining work while states are entered.
    fileprivate enum Pending {
        case state(Int)
        /// A slot to restore, and its previous position.
        case slot(Int, Int)
    }

    private let program: RegularExpressionProgram
    private let text: UnsafeRawBufferPointer
    private let slotCount: Int
    private(set) var memory: Memory
    /// Whether there is a match and the caller requested no groups.
    private var isFound = false

    init(_ program: RegularExpressionProgram, _ text: UnsafeRawBufferPointer, _ memory: Memory) {
        self.program = program
        self.text = text
        self.memory = memory
        slotCount = memory.slotCount
    }

    /// Returns the slots of the leftmost match at or after `start`; `nil` if there is none.
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
                memory.positionNumber += 1
            }
            if match == nil {
                for index in 0..<slotCount { memory.slots[index] = -1 }
                try enter(0, at: position, effort: &effort)
                if isFound { return [] }
            }
            swap(&memory.current, &memory.previous)
            memory.positionNumber += 1
            if let found = try step(&position, effort: &effort) { match = found }
            if isFound { return [] }
            memory.previous.list.removeAll(keepingCapacity: true)
            if position > text.count { return match }
        }
    }

    /// Returns the next position at which a match can start; `nil` if there is none.
    private func firstCandidate(from start: Int, effort: inout MatchEffort) throws(Failure) -> Int? {
        guard let first = program.firstBytes else { return start }
        var position = start
        while position < text.count, !first[Int(text[position])] { position += 1 }
        guard effort.spend((position - start) / 16) else { throw .interrupted }
        return position < text.count ? position : nil
    }

    /// Consumes the character at `position` in all states, which are now the previous ones, and enters the following states. Returns the
    /// slots of a match that is preferred to all remaining paths; `nil` if there is none.
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
                // The states after it are less preferred.
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

    /// Enters a state, and all states that can be reached from it without consuming a character.
    private mutating func enter(_ first: Int, at position: Int, effort: inout MatchEffort) throws(Failure) {
        memory.pending.append(.state(first))
        while let next = memory.pending.popLast() {
            switch next {
            case .slot(let index, let value): memory.slots[index] = value
            case .state(let state):
                guard memory.current.entered[state] != memory.positionNumber else { continue }
                guard effort.spend() else { throw .interrupted }
                memory.current.entered[state] = memory.positionNumber
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
        // A state is entered once per position, so an empty iteration reaches no new state.
        case .beginIteration, .endIteration: memory.pending.append(.state(state + 1))
        case .match where slotCount == 0: isFound = true
        case .character, .set, .match:
            memory.current.list.append(state)
            for index in 0..<slotCount { memory.current.slots[state * slotCount + index] = memory.slots[index] }
        // Programs with these instructions are matched by ``BacktrackingMatcher``.
        case .backReference, .lookAhead: break
        }
    }
}
