/// Finds a sequence inside others in a time that grows with the sum of their lengths (Knuth, Morris and Pratt).
struct SequenceSearch<Element: Equatable> {
    private let sought: [Element]
    /// For each length of a beginning that has been found, how much of it is a beginning again where the next character differs.
    private let fallbacks: [Int]

    init(_ sought: [Element]) {
        self.sought = sought
        var fallbacks = Array(repeating: 0, count: sought.count + 1)
        var matched = 0
        for index in sought.indices.dropFirst() {
            while matched > 0, sought[index] != sought[matched] { matched = fallbacks[matched] }
            if sought[index] == sought[matched] { matched += 1 }
            fallbacks[index + 1] = matched
        }
        self.fallbacks = fallbacks
    }

    /// Where the sequence begins in a part of another for the first time; nil when it does not, or the work was given up.
    func firstPlace<Text: RandomAccessCollection<Element>>(in text: Text, effort: inout MatchEffort) -> Text.Index? {
        var matched = 0
        var index = text.startIndex
        if sought.isEmpty { return index }
        while index < text.endIndex {
            let element = text[index]
            guard effort.spend() else { return nil }
            while matched > 0, sought[matched] != element { matched = fallbacks[matched] }
            if sought[matched] == element { matched += 1 }
            index = text.index(after: index)
            if matched == sought.count { return text.index(index, offsetBy: -matched) }
        }
        return nil
    }
}
