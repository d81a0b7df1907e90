/// A regular expression of the query language: ECMAScript's syntax as in the C++ standard library (Query 3.9). It matches code points,
/// without Unicode normalization.
///
/// It is used by one thread at a time, like the connection it belongs to. Compiling takes time proportional to the pattern with its
/// repetitions written out; for the time of matching see ``firstMatch(in:from:groups:effort:)``.
final class RegularExpression {
    /// The reason why a pattern cannot be used, or not on a certain text.
    enum Failure: Error, Equatable {
        /// The pattern violates the syntax; the value describes the error.
        case invalid(String)
        /// The count of a repetition is too large, or the pattern with its repetitions written out exceeds
        /// ``RegularExpressionProgram/maximumSize``.
        case tooLarge
        /// A pattern with look-aheads or back-references has exceeded the maximum number of steps.
        case tooManySteps
        /// The query has been interrupted.
        case interrupted
    }

    private let program: RegularExpressionProgram
    // Safe without exclusivity checks: it is used only on the thread of the connection's owner.
    @exclusivity(unchecked) private(set) var memory: StateSetMatcher.Memory?

    /// Compiles a UTF-8 pattern.
    init(_ pattern: some Sequence<UInt8>) throws(Failure) { program = try RegularExpressionProgram(RegularExpressionParser.parse(pattern)) }

    /// The number of groups in the pattern, not counting the whole match.
    var groupCount: Int { program.groupCount }

    /// Finds the leftmost match that starts at or after `start`.
    ///
    /// Without look-aheads and back-references, the time is at most proportional to the length of the text times that of the pattern. With
    /// them, alternatives are tried one after the other, for at most ``BacktrackingMatcher/limit(forTextOf:)`` steps in all searches with
    /// the same effort.
    ///
    /// - Parameters:
    ///   - groups: The number of groups to return, including the whole match; 0 to test only whether there is a match.
    ///   - effort: Counts the steps, and stops the search when the query is interrupted.
    /// - Returns: The start and end of each of these groups, in bytes, −1 for a group that did not participate; `nil` if nothing matches.
    func firstMatch(in text: UnsafeRawBufferPointer, from start: Int, groups: Int, effort: inout MatchEffort) throws(Failure) -> [Int]? {
        let slots = min(groups, groupCount + 1) * 2
        if program.needsBacktracking {
            var matcher = BacktrackingMatcher(program, text)
            return try matcher.search(from: start, effort: &effort).map { Array($0.prefix(slots)) }
        }
        var matcher = StateSetMatcher(program, text, acquireMemory(slotCount: slots))
        defer { memory = matcher.memory }
        return try matcher.search(from: start, effort: &effort)
    }

    /// Releases the working memory if it is large: a cached pattern with many groups would keep up to 160 MB. Call it after the last search
    /// in a text; between them the memory is reused.
    func releaseLargeMemory() {
        guard let size = memory?.size, size > Self.largestKeptSize else { return }
        memory = nil
    }

    /// The size of a working memory that is kept, in positions of groups; they take a megabyte.
    private static var largestKeptSize: Int { 1 << 16 }

    private func acquireMemory(slotCount: Int) -> StateSetMatcher.Memory {
        if let reusable = memory.take(), reusable.slotCount == slotCount { return reusable }
        return StateSetMatcher.Memory(program, slotCount: slotCount)
    }
}

extension RegularExpression.Failure {
    /// Returns an error message that names the pattern.
    func message(for pattern: UnsafeRawBufferPointer) -> String {
        let shown = String(decoding: pattern.prefix(Self.shownBytes), as: UTF8.self)
        let name = "the regular expression '\(shown)\(pattern.count > Self.shownBytes ? "…" : "")'"
        return switch self {
        case .invalid(let reason): "\(name) is invalid: \(reason)"
        case .tooLarge: "\(name) is too large"
        case .tooManySteps:
            "\(name) takes too many steps on a text because of its look-aheads or back-references"
        case .interrupted: "interrupted"
        }
    }

    private static var shownBytes: Int { 100 }
}
