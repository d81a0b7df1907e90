/// Snowball's algorithm for Portuguese (https://snowballstem.org/algorithms/portuguese/stemmer.html) as used by Couchbase Lite: the version
/// before release 2.0 (Query 6.10). In that version some suffixes are Spanish: `logía`, `ución`.
struct PortugueseStemmer: StemmingAlgorithm {
    private(set) var word: StemmedWord
    /// The start positions of the regions RV, R1 and R2.
    private var verbRegion = 0, firstRegion = 0, secondRegion = 0

    private static let vowels = LetterSet("aeiouáéíóúâêô")

    init(_ word: StemmedWord) { self.word = word }

    mutating func run() {
        // During stemming, a nasal vowel is represented by a vowel and a consonant.
        word.letters = word.letters.flatMap { letter -> [Unicode.Scalar] in
            switch letter {
            case "ã": ["a", "~"]
            case "õ": ["o", "~"]
            default: [letter]
            }
        }
        markRegions()
        if removeStandardSuffix() || removeVerbSuffix() {
            let end = word.count - 1
            if word.has("ci", before: word.count), end >= verbRegion { word.cut(at: end) }
        } else {
            removeResidualSuffix()
        }
        removeResidualForm()
        var merged: [Unicode.Scalar] = []
        for letter in word.letters {
            switch (merged.last, letter) {
            case ("a", "~"): merged[merged.count - 1] = "ã"
            case ("o", "~"): merged[merged.count - 1] = "õ"
            default: merged.append(letter)
            }
        }
        word.letters = merged
    }

    private func isVowel(_ index: Int) -> Bool? {
        index < word.count ? Self.vowels.contains(word.letters[index]) : nil
    }

    private mutating func markRegions() {
        (firstRegion, secondRegion) = word.regions(vowels: Self.vowels)
        verbRegion = word.count
        guard let first = isVowel(0), let second = isVowel(1) else { return }
        switch (first, second) {
        case (_, false): verbRegion = word.position(behindFirstIn: Self.vowels, from: 2) ?? word.count
        case (true, true): verbRegion = word.position(behindFirstNotIn: Self.vowels, from: 2) ?? word.count
        case (false, true): verbRegion = min(3, word.count)
        }
    }

    // MARK: Standard suffixes

    private enum Standard { case plain, replaced(by: String), amente, mente, idade, iva, ira }
    private static let standard = Endings<Standard>([
        (
            """
            eza ezas ico ica icos icas ismo ismos ável ível ista istas oso osa osos osas amento amentos imento imentos adora ador \
            aça~o adoras adores aço~es ante antes ância
            """, .plain
        ),
        ("logía logías", .replaced(by: "log")), ("ución uciones", .replaced(by: "u")), ("ência ências", .replaced(by: "ente")),
        ("amente", .amente),
        ("mente", .mente), ("idade idades", .idade), ("iva ivo ivas ivos", .iva), ("ira iras", .ira),
    ])

    private mutating func removeStandardSuffix() -> Bool {
        guard let (start, meaning) = word.longest(Self.standard) else { return false }
        switch meaning {
        case .plain: return word.cut(start, in: secondRegion)
        case .replaced(let ending): return word.replace(start, by: ending, in: secondRegion)
        case .amente:
            guard word.cut(start, in: firstRegion) else { return false }
            removeBeforeAmente()
        case .mente:
            guard word.cut(start, in: secondRegion) else { return false }
            remove(Self.beforeMente)
        case .idade:
            guard word.cut(start, in: secondRegion) else { return false }
            remove(Self.beforeIdade)
        case .iva:
            guard word.cut(start, in: secondRegion) else { return false }
            if word.has("at", before: word.count) { _ = word.cut(word.count - 2, in: secondRegion) }
        case .ira:
            // Words with an `e` before the ending are mostly not verbs.
            guard start >= verbRegion, word.has("e", before: start) else { return false }
            word.replace(from: start, by: "ir")
        }
        return true
    }

    private static let beforeAmente = Endings<Bool>([("iv", true), ("os ic ad", false)])
    private static let beforeMente = Endings<Void>([("ante avel ível", ())])
    private static let beforeIdade = Endings<Void>([("abil ic iv", ())])

    private mutating func removeBeforeAmente() {
        guard let (start, isIv) = word.longest(Self.beforeAmente), word.cut(start, in: secondRegion) else { return }
        if isIv, word.has("at", before: word.count) { _ = word.cut(word.count - 2, in: secondRegion) }
    }

    private mutating func remove(_ endings: Endings<Void>) {
        if let (start, _) = word.longest(endings) { _ = word.cut(start, in: secondRegion) }
    }

    // MARK: Verb endings and residual suffixes

    private static let verbs = Endings<Void>([
        (
            """
            ada ida ia aria eria iria ará ara erá era irá ava asse esse isse aste este iste ei arei erei irei am iam ariam eriam \
            iriam aram eram iram avam em arem erem irem assem essem issem ado ido ando endo indo ara~o era~o ira~o ar er ir as \
            adas idas ias arias erias irias arás aras erás eras irás avas es ardes erdes irdes ares eres ires asses esses isses \
            astes estes istes is ais eis íeis aríeis eríeis iríeis áreis areis éreis ereis íreis ireis ásseis ésseis ísseis áveis \
            ados idos ámos amos íamos aríamos eríamos iríamos áramos éramos íramos ávamos emos aremos eremos iremos ássemos \
            êssemos íssemos imos armos ermos irmos eu iu ou ira iras
            """, ()
        )
    ])

    private mutating func removeVerbSuffix() -> Bool {
        guard let (start, _) = word.longest(Self.verbs, from: verbRegion) else { return false }
        word.cut(at: start)
        return true
    }

    private static let residual = Endings<Void>([("os a i o á í ó", ())])

    private mutating func removeResidualSuffix() {
        if let (start, _) = word.longest(Self.residual) { _ = word.cut(start, in: verbRegion) }
    }

    private mutating func removeResidualForm() {
        switch word.letters.last {
        case "e", "é", "ê":
            guard word.cut(word.count - 1, in: verbRegion) else { return }
            let end = word.count - 1
            if word.has("gu", before: word.count) || word.has("ci", before: word.count) { _ = word.cut(end, in: verbRegion) }
        case "ç": word.replace(from: word.count - 1, by: "c")
        default: break
        }
    }
}
