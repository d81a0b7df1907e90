/// The sentences of a text, as ranges that cover all of it, by the rules of UAX #29, section 5 (SB3 to SB11), with the properties of characters
/// that the standard library knows.
///
/// Each range includes the white space after its sentence. Abbreviations before a capital letter ("Dr. Who") end a sentence, as they do by the
/// rules; so does each line break.
struct Sentences: Sequence, IteratorProtocol {
    private let text: String
    private var position: String.Index

    /// - Parameter text: The text. Its characters are extended grapheme clusters, so that no mark is separated from its base.
    init(_ text: String) {
        self.text = text
        position = text.startIndex
    }

    mutating func next() -> Range<String.Index>? {
        guard position < text.endIndex else { return nil }
        let start = position
        position = end(from: start)
        return start..<position
    }

    /// Returns the end of the sentence that begins at an index.
    private func end(from start: String.Index) -> String.Index {
        var (index, before) = (start, CharacterKind.other)
        while index < text.endIndex {
            let kind = CharacterKind(text[index])
            text.formIndex(after: &index)
            if kind == .separator { return index }
            if kind == .stop || kind == .terminator, let end = self.end(after: index, kind, before) { return end }
            before = kind
        }
        return index
    }

    /// Returns the end of the sentence if it ends with the terminator before an index.
    private func end(after index: String.Index, _ terminator: CharacterKind, _ before: CharacterKind) -> String.Index? {
        let next = kind(at: index)
        // SB8a: more terminators follow, and the last one decides.
        if next == .stop || next == .terminator || next == .continuation { return nil }
        // SB6 and SB7: numbers and abbreviations.
        if terminator == .stop, next == .number || (next == .upper && (before == .upper || before == .lower)) { return nil }
        var end = skip(.close, from: index)
        end = skip(.space, from: end)
        switch kind(at: end) {
        case .stop, .terminator, .continuation: return nil
        case .separator: return text.index(after: end)
        default: return terminator == .stop && continuesInLowercase(from: end) ? nil : end
        }
    }

    /// SB8: after a full stop, a small letter continues the sentence.
    private func continuesInLowercase(from index: String.Index) -> Bool {
        var index = index
        // Far enough for quotes and brackets, so that the whole takes linear time.
        for _ in 0..<16 {
            switch kind(at: index) {
            case .lower: return true
            case .upper, .letter, .number, .separator, .stop, .terminator, nil: return false
            default: text.formIndex(after: &index)
            }
        }
        return false
    }

    private func skip(_ kind: CharacterKind, from start: String.Index) -> String.Index {
        var index = start
        while self.kind(at: index) == kind { text.formIndex(after: &index) }
        return index
    }

    private func kind(at index: String.Index) -> CharacterKind? { index < text.endIndex ? CharacterKind(text[index]) : nil }
}

/// The properties `Sentence_Break` that the rules distinguish (UAX #29, table 4).
private enum CharacterKind {
    case separator, space, lower, upper, letter, number, stop, terminator, close, continuation, other

    init(_ character: Character) {
        // The first scalar decides: marks that follow are ignored (SB5).
        let scalar = character.unicodeScalars[character.unicodeScalars.startIndex]
        self = scalar.isASCII ? Self(ascii: scalar) : Self(scalar)
    }

    private init(ascii scalar: Unicode.Scalar) {
        switch scalar {
        case "\n", "\r": self = .separator
        case " ", "\t", "\u{B}", "\u{C}": self = .space
        case "a"..."z": self = .lower
        case "A"..."Z": self = .upper
        case "0"..."9": self = .number
        case ".": self = .stop
        case "!", "?": self = .terminator
        case "\"", "'", "(", ")", "[", "]", "{", "}": self = .close
        case ",", "-", ":", ";": self = .continuation
        default: self = .other
        }
    }

    private init(_ scalar: Unicode.Scalar) {
        let properties = scalar.properties
        switch scalar {
        case "\u{85}", "\u{2028}", "\u{2029}": self = .separator
        case "\u{2024}", "\u{FE52}", "\u{FF0E}": self = .stop
        case "\u{55D}", "\u{60C}", "\u{60D}", "\u{7F8}", "\u{1802}", "\u{1808}", "\u{2013}", "\u{2014}", "\u{3001}", "\u{FE10}", "\u{FE11}",
            "\u{FE13}", "\u{FE31}", "\u{FE32}", "\u{FE50}", "\u{FE51}", "\u{FE55}", "\u{FE58}", "\u{FE63}", "\u{FF0C}", "\u{FF0D}",
            "\u{FF1A}",
            "\u{FF64}":
            self = .continuation
        default:
            self =
                switch properties.generalCategory {
                case _ where properties.isSentenceTerminal: .terminator
                case _ where properties.isWhitespace: .space
                case _ where properties.isLowercase: .lower
                case _ where properties.isUppercase: .upper
                case .titlecaseLetter: .upper
                case .decimalNumber: .number
                case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: .close
                default: properties.isAlphabetic ? .letter : .other
                }
        }
    }
}
