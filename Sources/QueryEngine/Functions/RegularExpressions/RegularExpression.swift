/// A regular expression of the query language: ECMAScript's syntax as the C++ library has it (Query 3.9), matched code point by code
/// point, without regard to which of them look alike.
///
/// Used by one thread at a time, like the connection it belongs to. Compiling costs time in proportion to the pattern with its repetitions written out; matching, see ``firstMatch(in:from:groups:effort:)``.
final class RegularExpression {
    /// Why a pattern cannot be used, or not on some text.
    enum Failure: Error, Equatable {
        /// The pattern is none in the syntax; the reason in words.
        case invalid(String)
        /// Written out, the repetitions have more steps than ``RegularExpressionProgram/maximumSize``.
        case tooLarge
        /// A pattern with a look-ahead or a back-reference has tried too many ways.
        case tooManySteps
        /// The query has been cancelled.
        case interrupted
    }

    private let program: RegularExpressionProgram
    // Exclusivity is given by the owner of the connection, on whose thread alone it is used.
    @exclusivity(unchecked) private var memory: StateSetMatcher.Memory?

    /// Compiles a pattern in UTF-8.
    init(_ pattern: some Sequence<UInt8>) throws(Failure) {
        program = try RegularExpressionProgram(RegularExpressionParser.parse(pattern))
    }

    /// How many groups the pattern has, without the whole match.
    var groupCount: Int { program.groupCount }

    /// Finds the leftmost match that begins at `start` or after it.
    ///
    /// Without look-ahead and back-references the time is at most in proportion to the length of the text times that of the pattern,
    /// whatever they are. With them, ways are tried one after the other, as many as ``BacktrackingMatcher/limit(forTextOf:)`` says.
    ///
    /// - Parameters:
    ///   - groups: How many groups the caller wants to know, the whole match included; 0 to know only whether there is a match.
    ///   - effort: Counts the steps, and ends the search when the query is cancelled.
    /// - Returns: For each of the groups where it begins and ends, in bytes, −1 for one that took no part; nil when nothing matches.
    func firstMatch(in text: UnsafeRawBufferPointer, from start: Int, groups: Int, effort: inout MatchEffort) throws(Failure) -> [Int]? {
        let slots = min(groups, groupCount + 1) * 2
        if program.needsBacktracking {
            var matcher = BacktrackingMatcher(program, text)
            return try matcher.search(from: start, effort: &effort).map { Array($0.prefix(slots)) }
        }
        var matcher = StateSetMatcher(program, text, takeMemory(slotCount: slots))
        defer { memory = matcher.memory }
        return try matcher.search(from: start, effort: &effort)
    }

    private func takeMemory(slotCount: Int) -> StateSetMatcher.Memory {
        if let kept = memory.take(), kept.slotCount == slotCount { return kept }
        return StateSetMatcher.Memory(program, slotCount: slotCount)
    }
}

extension RegularExpression.Failure {
    /// What is wrong, in a sentence that names the pattern.
    func message(for pattern: UnsafeRawBufferPointer) -> String {
        let shown = String(decoding: pattern.prefix(Self.shownBytes), as: UTF8.self)
        let name = "the regular expression '\(shown)\(pattern.count > Self.shownBytes ? "…" : "")'"
        return switch self {
        case .invalid(let reason): "\(name) is invalid: \(reason)"
        case .tooLarge: "\(name) is too large"
        case .tooManySteps:
            "\(name) takes too many steps on a text: its look-aheads and back-references leave too many ways to match"
        case .interrupted: "interrupted"
        }
    }

    private static var shownBytes: Int { 100 }
}
