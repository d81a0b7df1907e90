/// Snowball's algorithm for French (https://snowballstem.org/algorithms/french/stemmer.html) as used by Couchbase Lite: the version before
/// release 2.0 (Query 6.10). In that version `ë` and `ï` are ordinary vowels.
struct FrenchStemmer: StemmingAlgorithm {
    private(set) var word: StemmedWord
    /// The start positions of the regions RV, R1 and R2.
    private var verbRegion = 0, firstRegion = 0, secondRegion = 0

    private static let vowels = LetterSet("aeiouyâàëéêèïîôûù")
    private static let keepsS = LetterSet("aiouès")

    init(_ word: StemmedWord) { self.word = word }

    mutating func run() {
        markConsonants()
        markRegions()
        if removeStandardSuffix() || removeVerbSuffixInI() || removeVerbSuffix() {
            switch word.letters.last {
            case "Y": word.replace(from: word.count - 1, by: "i")
            case "ç": word.replace(from: word.count - 1, by: "c")
            default: break
            }
        } else {
            removeResidualSuffix()
        }
        undouble()
        removeAccent()
        for index in word.letters.indices {
            switch word.letters[index] {
            case "I": word.letters[index] = "i"
            case "U": word.letters[index] = "u"
            case "Y": word.letters[index] = "y"
            default: break
            }
        }
    }

    private func isVowel(_ index: Int) -> Bool {
        index >= 0 && index < word.count && Self.vowels.contains(word.letters[index])
    }

    /// Capitalizes `u`, `i` and `y` where they are consonants. A capitalized letter affects how the following letters are classified.
    private mutating func markConsonants() {
        var index = 0
        while index < word.count {
            let letter = word.letters[index]
            let next = index + 1 < word.count ? word.letters[index + 1] : " "
            if isVowel(index), next == "u" || next == "i", isVowel(index + 2) {
                word.letters[index + 1] = next == "u" ? "U" : "I"
            } else if isVowel(index), next == "y" {
                word.letters[index + 1] = "Y"
            } else if letter == "y", isVowel(index + 1) {
                word.letters[index] = "Y"
            } else if letter == "q", next == "u" {
                word.letters[index + 1] = "U"
            } else {
                index += 1
            }
        }
    }

    private mutating func markRegions() {
        verbRegion = word.count
        if isVowel(0), isVowel(1), word.count >= 3 {
            verbRegion = 3
        } else if Self.exceptions.contains(where: { word.letters.starts(with: $0.unicodeScalars) }) {
            verbRegion = 3
        } else if word.count > 0, let position = word.position(behindFirstIn: Self.vowels, from: 1) {
            verbRegion = position
        }
        (firstRegion, secondRegion) = word.regions(vowels: Self.vowels)
    }

    private static let exceptions = ["par", "col", "tap"]

    // MARK: Standard suffixes

    private enum Standard {
        case plain, replaced(by: String), ateur, ement, ité, if_, eaux, aux, euse, issement, amment, emment, ment
    }

    private static let standard = Endings<Standard>([
        ("ance iqUe isme able iste eux ances iqUes ismes ables istes", .plain),
        ("atrice ateur ation atrices ateurs ations", .ateur), ("logie logies", .replaced(by: "log")),
        ("usion ution usions utions", .replaced(by: "u")), ("ence ences", .replaced(by: "ent")), ("ement ements", .ement),
        ("ité ités", .ité), ("if ive ifs ives", .if_), ("eaux", .eaux), ("aux", .aux), ("euse euses", .euse),
        ("issement issements", .issement), ("amment", .amment), ("emment", .emment), ("ment ments", .ment),
    ])

    private mutating func removeStandardSuffix() -> Bool {
        guard let (start, meaning) = word.longest(Self.standard) else { return false }
        switch meaning {
        case .plain: return word.cut(start, in: secondRegion)
        case .ateur:
            guard word.cut(start, in: secondRegion) else { return false }
            removeIc()
            return true
        case .replaced(let ending): return word.replace(start, by: ending, in: secondRegion)
        case .ement:
            guard word.cut(start, in: verbRegion) else { return false }
            removeBeforeEment()
            return true
        case .ité:
            guard word.cut(start, in: secondRegion) else { return false }
            removeBeforeIté()
            return true
        case .if_:
            guard word.cut(start, in: secondRegion) else { return false }
            if word.has("at", before: word.count), word.cut(word.count - 2, in: secondRegion) { removeIc() }
            return true
        case .eaux: return word.replace(start, by: "eau", in: 0)
        case .aux: return word.replace(start, by: "al", in: firstRegion)
        case .euse: return word.cut(start, in: secondRegion) || word.replace(start, by: "eux", in: firstRegion)
        case .issement:
            return start >= firstRegion && word.isLetter(before: start, notIn: Self.vowels) && word.cut(start, in: 0)
        // After these suffixes, the verb endings are removed too.
        case .amment: _ = word.replace(start, by: "ant", in: verbRegion)
        case .emment: _ = word.replace(start, by: "ent", in: verbRegion)
        case .ment:
            if word.isLetter(before: start, in: Self.vowels), start - 1 >= verbRegion { word.cut(at: start) }
        }
        return false
    }

    private enum BeforeEment { case iv, eus, plain, ièr }
    private static let beforeEment = Endings<BeforeEment>([("iv", .iv), ("eus", .eus), ("abl iqU", .plain), ("ièr Ièr", .ièr)])

    private mutating func removeBeforeEment() {
        guard let (start, meaning) = word.longest(Self.beforeEment) else { return }
        switch meaning {
        case .iv:
            if word.cut(start, in: secondRegion), word.has("at", before: word.count) { _ = word.cut(word.count - 2, in: secondRegion) }
        case .eus: _ = word.cut(start, in: secondRegion) || word.replace(start, by: "eux", in: firstRegion)
        case .plain: _ = word.cut(start, in: secondRegion)
        case .ièr: _ = word.replace(start, by: "i", in: verbRegion)
        }
    }

    private mutating func removeBeforeIté() {
        let end = word.count
        if word.has("abil", before: end) {
            _ = word.cut(end - 4, in: secondRegion) || word.replace(end - 4, by: "abl", in: 0)
        } else if word.has("ic", before: end) {
            removeIc()
        } else if word.has("iv", before: end) {
            _ = word.cut(end - 2, in: secondRegion)
        }
    }

    private mutating func removeIc() {
        guard word.has("ic", before: word.count) else { return }
        let start = word.count - 2
        _ = word.cut(start, in: secondRegion) || word.replace(start, by: "iqU", in: 0)
    }

    // MARK: Endings of verbs

    private static let verbsInI = Endings<Void>([
        (
            """
            îmes ît îtes i ie ies ir ira irai iraIent irais irait iras irent irez iriez irions irons iront is issaIent issais \
            issait issant issante issantes issants isse issent isses issez issiez issions issons it
            """, ()
        )
    ])

    private mutating func removeVerbSuffixInI() -> Bool {
        guard word.count >= verbRegion, let (start, _) = word.longest(Self.verbsInI, from: verbRegion) else { return false }
        return word.isLetter(before: start, notIn: Self.vowels, from: verbRegion) && word.cut(start, in: 0)
    }

    private enum Verb { case ions, plain, withE }
    private static let verbs = Endings<Verb>([
        ("ions", .ions),
        ("é ée ées és èrent er era erai eraIent erais erait eras erez eriez erions erons eront ez iez", .plain),
        ("âmes ât âtes a ai aIent ais ait ant ante antes ants as asse assent asses assiez assions", .withE),
    ])

    private mutating func removeVerbSuffix() -> Bool {
        guard word.count >= verbRegion, let (start, meaning) = word.longest(Self.verbs, from: verbRegion) else { return false }
        switch meaning {
        case .ions: return word.cut(start, in: secondRegion)
        case .plain: return word.cut(start, in: 0)
        case .withE:
            word.cut(at: start)
            if word.has("e", before: word.count, from: verbRegion) { word.cut(at: word.count - 1) }
            return true
        }
    }

    // MARK: Residual suffixes

    private enum Residual { case ion, ier, e, ë }
    private static let residual = Endings<Residual>([("ion", .ion), ("ier ière Ier Ière", .ier), ("e", .e), ("ë", .ë)])

    private mutating func removeResidualSuffix() {
        if word.letters.last == "s", word.isLetter(before: word.count - 1, notIn: Self.keepsS) { word.cut(at: word.count - 1) }
        guard word.count >= verbRegion, let (start, meaning) = word.longest(Self.residual, from: verbRegion) else { return }
        switch meaning {
        case .ion:
            if start >= secondRegion, word.has("s", before: start, from: verbRegion) || word.has("t", before: start, from: verbRegion) {
                word.cut(at: start)
            }
        case .ier: word.replace(from: start, by: "i")
        case .e: word.cut(at: start)
        case .ë: if word.has("gu", before: start, from: verbRegion) { word.cut(at: start) }
        }
    }

    private static let doubled = ["enn", "onn", "ett", "ell", "eill"]

    private mutating func undouble() {
        if Self.doubled.contains(where: { word.has($0, before: word.count) }) { word.cut(at: word.count - 1) }
    }

    private mutating func removeAccent() {
        guard let index = word.letters.lastIndex(where: { Self.vowels.contains($0) }), index < word.count - 1 else { return }
        if word.letters[index] == "é" || word.letters[index] == "è" { word.letters[index] = "e" }
    }
}
