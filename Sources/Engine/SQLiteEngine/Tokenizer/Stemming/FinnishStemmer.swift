/// Snowball's algorithm for Finnish (https://snowballstem.org/algorithms/finnish/stemmer.html) as used by Couchbase Lite: the version
/// before release 2.0 (Query 6.10). In that version every character that is not a vowel counts as a consonant, including digits.
struct FinnishStemmer: StemmingAlgorithm {
    private(set) var word: StemmedWord
    /// The start positions of the regions R1 and R2.
    private let firstRegion: Int
    private let secondRegion: Int
    private var hasRemovedCase = false

    private static let vowels = LetterSet("aeiouyäö")
    /// The vowels that can precede an `i`.
    private static let longVowels = LetterSet("aeiouäö")
    private static let beforeParticles = LetterSet("aeiouyäönt")
    private static let lastVowels = LetterSet("aäei")

    init(_ word: StemmedWord) {
        self.word = word
        (firstRegion, secondRegion) = word.regions(vowels: Self.vowels)
    }

    mutating func run() {
        removeParticle()
        removePossessive()
        removeCase()
        removeOtherEnding()
        if hasRemovedCase { removePluralI() } else { removePluralT() }
        trimEnding()
    }

    // MARK: Particles and possessives

    private enum Particle { case plain, adverb }
    private static let particles = Endings<Particle>([("kin kaan kään ko kö han hän pa pä", .plain), ("sti", .adverb)])

    private mutating func removeParticle() {
        guard let (start, meaning) = word.longest(Self.particles, from: firstRegion) else { return }
        switch meaning {
        case .plain: guard word.isLetter(before: start, in: Self.beforeParticles) else { return }
        case .adverb: guard start >= secondRegion else { return }
        }
        word.cut(at: start)
    }

    private enum Possessive { case si, ni, plain, after([String]) }
    private static let possessives = Endings<Possessive>([
        ("si", .si), ("ni", .ni), ("nsa nsä mme nne", .plain), ("an", .after(["ta", "ssa", "sta", "lla", "lta", "na"])),
        ("än", .after(["tä", "ssä", "stä", "llä", "ltä", "nä"])), ("en", .after(["lle", "ine"])),
    ])

    private mutating func removePossessive() {
        guard let (start, meaning) = word.longest(Self.possessives, from: firstRegion) else { return }
        let isTaken =
            switch meaning {
            case .si: !word.has("k", before: start)
            case .ni, .plain: true
            case .after(let endings): endings.contains { word.has($0, before: start) }
            }
        guard isTaken else { return }
        word.cut(at: start)
        if case .ni = meaning, word.has("kse", before: word.count) { word.replace(from: word.count - 3, by: "ksi") }
    }

    // MARK: Cases

    private enum Case { case after(String), afterVowelAndI, afterLong, n, afterConsonantAndVowel, afterE, plain }
    private static let cases = Endings<Case>([
        ("han", .after("a")), ("hen", .after("e")), ("hin", .after("i")), ("hon", .after("o")), ("hän", .after("ä")),
        ("hön", .after("ö")), ("siin den tten", .afterVowelAndI), ("seen", .afterLong), ("n", .n),
        ("a ä", .afterConsonantAndVowel), ("tta ttä", .afterE),
        ("ta tä ssa ssä sta stä lla llä lta ltä lle na nä ksi ine", .plain),
    ])

    private mutating func removeCase() {
        guard var (start, meaning) = word.longest(Self.cases, from: firstRegion) else { return }
        // Without the required preceding letters, these endings are only the `n` of the genitive.
        let isShort =
            switch meaning {
            case .afterVowelAndI:
                !word.has("i", before: start) || !word.isLetter(before: start - 1, in: Self.longVowels)
            case .afterLong: !hasLong(before: start)
            default: false
            }
        if isShort { (start, meaning) = (word.count - 1, .n) }
        var end = start
        switch meaning {
        case .plain, .afterVowelAndI, .afterLong: break
        case .after(let letter): guard word.has(letter, before: start) else { return }
        case .afterE: guard word.has("e", before: start) else { return }
        case .n:
            // One letter of a long vowel is removed too, and so is the `e` of `ie`.
            if hasLong(before: start) || word.has("ie", before: start) { end -= 1 }
        case .afterConsonantAndVowel:
            guard word.isLetter(before: start, in: Self.vowels), word.isLetter(before: start - 1, notIn: Self.vowels) else { return }
        }
        word.cut(at: end)
        hasRemovedCase = true
    }

    private func hasLong(before end: Int, from start: Int = 0) -> Bool {
        guard end >= 2 else { return false }
        let letter = word.letters[end - 1]
        return end - 2 >= start && letter == word.letters[end - 2] && Self.longVowels.contains(letter)
    }

    // MARK: Other endings and plurals

    private static let others = Endings<Bool>([("mpi mpa mpä mmi mma mmä", true), ("impi impa impä immi imma immä eja ejä", false)])

    /// Removes endings of comparatives, superlatives and agents.
    private mutating func removeOtherEnding() {
        guard let (start, keepsPo) = word.longest(Self.others, from: secondRegion) else { return }
        if keepsPo, word.has("po", before: start) { return }
        word.cut(at: start)
    }

    private mutating func removePluralI() {
        if word.count > firstRegion, let last = word.letters.last, last == "i" || last == "j" { word.cut(at: word.count - 1) }
    }

    private mutating func removePluralT() {
        let end = word.count - 1
        guard end >= firstRegion, word.letters.last == "t", word.isLetter(before: end, in: Self.vowels, from: firstRegion) else { return }
        word.cut(at: end)
        let isSuperlative = word.has("imma", before: end, from: secondRegion)
        if isSuperlative {
            word.cut(at: end - 4)
        } else if word.has("mma", before: end, from: secondRegion), !word.has("po", before: end - 3) {
            word.cut(at: end - 3)
        }
    }

    /// Removes a remaining single vowel, and one of two equal consonants.
    private mutating func trimEnding() {
        // Nothing is done if removing a case ending has shortened the word to less than the region's start.
        guard word.count >= firstRegion else { return }
        if hasLong(before: word.count, from: firstRegion) { word.cut(at: word.count - 1) }
        if word.count > firstRegion, let last = word.letters.last, Self.lastVowels.contains(last),
            word.isLetter(before: word.count - 1, notIn: Self.vowels, from: firstRegion)
        {
            word.cut(at: word.count - 1)
        }
        if word.has("oj", before: word.count, from: firstRegion) || word.has("uj", before: word.count, from: firstRegion) {
            word.cut(at: word.count - 1)
        }
        if word.has("jo", before: word.count, from: firstRegion) { word.cut(at: word.count - 1) }
        guard let index = word.letters.lastIndex(where: { !Self.vowels.contains($0) }), index > 0,
            word.letters[index - 1] == word.letters[index]
        else { return }
        word.letters.remove(at: index)
    }
}
