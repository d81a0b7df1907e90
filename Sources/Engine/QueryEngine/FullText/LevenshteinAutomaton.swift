/// Compares sorted terms with words from which only a few letters may differ, and tells which terms need not be read.
///
/// The state after a prefix of a term is the last row of the usual table for each word: how many letters differ between the prefix and each
/// prefix of the word. A prefix is dead if all these numbers are above the limit: no term that begins with it is like a word. Terms that begin
/// in the same way share their states.
struct LevenshteinAutomaton {
    /// What is known after a term.
    enum Reading: Equatable {
        /// The term is like a word: so many letters differ.
        case match(Int)
        /// The term is not like a word, but the next one may be.
        case noMatch
        /// Neither is the term, nor any after it before this text; `nil` if none after it is.
        case dead(next: [UInt8]?)
    }

    private let words: [[Unicode.Scalar]]
    private let limit: Int
    /// The letters of the last term, up to where it was dead.
    private var path: [Unicode.Scalar] = []
    /// The states before each of these letters, and after the last one.
    private var states: [[Int]]

    init(_ words: [[Unicode.Scalar]], limit: Int) {
        (self.words, self.limit) = (words, limit)
        states = [words.flatMap { Array(0...$0.count) }]
    }

    /// Reads a term, which must not be before the last one.
    mutating func read(_ term: UnsafeRawBufferPointer) -> Reading {
        var decoder = UTF8()
        var bytes = term.makeIterator()
        var depth = 0
        decoding: while true {
            switch decoder.decode(&bytes) {
            case .scalarValue(let scalar):
                if depth < path.count, path[depth] == scalar {
                    depth += 1
                    continue
                }
                forget(after: depth)
                let state = self.state(after: states[depth], scalar)
                guard isAlive(state) else { return .dead(next: successor(of: scalar)) }
                path.append(scalar)
                states.append(state)
                depth += 1
            case .emptyInput: break decoding
            case .error: return .noMatch
            }
        }
        forget(after: depth)
        let distance = lastDistance(states[depth])
        return distance <= limit ? .match(distance) : .noMatch
    }

    private mutating func forget(after depth: Int) {
        path.removeLast(path.count - depth)
        states.removeLast(states.count - depth - 1)
    }

    // MARK: States

    /// Returns the state after one more letter.
    private func state(after state: [Int], _ letter: Unicode.Scalar) -> [Int] {
        var next = state
        var start = 0
        for word in words {
            next[start] = state[start] + 1
            for index in 0..<word.count {
                let diagonal = state[start + index] + (word[index] == letter ? 0 : 1)
                next[start + index + 1] = min(state[start + index + 1] + 1, next[start + index] + 1, diagonal)
            }
            start += word.count + 1
        }
        return next
    }

    private func isAlive(_ state: [Int]) -> Bool { state.contains { $0 <= limit } }

    private func lastDistance(_ state: [Int]) -> Int {
        var end = -1
        var least = Int.max
        for word in words {
            end += word.count + 1
            least = min(least, state[end])
        }
        return least
    }

    // MARK: Skipping

    /// Returns the first text, after all that begin with the path and a letter, that may be the beginning of a term that is like a word.
    private func successor(of letter: Unicode.Scalar) -> [UInt8]? {
        var letter = letter
        for depth in (0...path.count).reversed() {
            if let next = nextLetter(after: letter, in: states[depth]) {
                var text = ""
                text.unicodeScalars.append(contentsOf: path[..<depth])
                text.unicodeScalars.append(next)
                return Array(text.utf8)
            }
            if depth > 0 { letter = path[depth - 1] }
        }
        return nil
    }

    /// Returns the first letter above this one after which the state is not dead.
    private func nextLetter(after letter: Unicode.Scalar, in state: [Int]) -> Unicode.Scalar? {
        // One more letter may differ, so that it may be any letter.
        if state.contains(where: { $0 < limit }) { return Self.following(letter) }
        // Otherwise it must be the next one of a word, after a beginning from which no more letters differ than may.
        var next: Unicode.Scalar?
        var start = 0
        for word in words {
            for index in word.indices where state[start + index] <= limit && word[index] > letter {
                next = next.map { min($0, word[index]) } ?? word[index]
            }
            start += word.count + 1
        }
        return next
    }

    private static func following(_ letter: Unicode.Scalar) -> Unicode.Scalar? {
        Unicode.Scalar(letter.value == 0xD7FF ? 0xE000 : letter.value + 1)
    }
}
