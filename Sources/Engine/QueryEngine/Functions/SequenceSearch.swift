/// Searches for a sequence in time linear in the sum of the lengths (Knuth, Morris and Pratt).
struct SequenceSearch<Element: Equatable> {
    private let target: [Element]
    /// For each length of a matched prefix, the length of the prefix with which matching continues after a mismatch.
    private let fallbacks: [Int]

    init(_ target: [Element]) {
        self.target = target
        var fallbacks = Array(repeating: 0, count: target.count + 1)
        var matched = 0
        for index in target.indices.dropFirst() {
            while matched > 0, target[index] != target[matched] { matched = fallbacks[matched] }
            if target[index] == target[matched] { matched += 1 }
            fallbacks[index + 1] = matched
        }
        self.fallbacks = fallbacks
    }

    /// Returns the start of the first occurrence in `text`; `nil` if there is none or the work was interrupted.
    func firstIndex<Text: RandomAccessCollection<Element>>(in text: Text, effort: inout MatchEffort) -> Text.Index? {
        var matched = 0
        var index = text.startIndex
        if target.isEmpty { return index }
        while index < text.endIndex {
            let element = text[index]
            guard effort.spend() else { return nil }
            while matched > 0, target[matched] != element { matched = fallbacks[matched] }
            if target[matched] == element { matched += 1 }
            index = text.index(after: index)
            if matched == target.count { return text.index(index, offsetBy: -matched) }
        }
        return nil
    }
}
