import SQLiteEngine
import TestSupport
import Testing

@Suite("Full-text tokenizer")
struct TokenizerTests {
    private static let texts: [(String, [String])] = [
        ("Hello, World!", ["hello", "world"]), ("(1972) 3.5 x2", ["1972", "3", "5", "x2"]),
        ("buy-museum don't a_b", ["buy", "museum", "don", "t", "a", "b"]), ("", []), (" .,;- ", []),
        ("ÀÉÎ Ünder ΑΒΓΣς ПРИВЕТ", ["àéî", "ünder", "αβγσσ", "привет"]),
        ("שלום مرحبا नमस्ते", ["שלום", "مرحبا", "नमस", "त"]), ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("Straße STRASSE İstanbul ﬁn", ["straße", "strasse", "İstanbul", "ﬁn"]), ("Ⅷ ½ ²", ["ⅷ", "½", "²"]),
        ("a😀b c☂d", ["a", "b", "c", "d"]), ("e\u{301}tude \u{301}x", ["e\u{301}tude", "x"]), ("我来到北京", ["我来到北京"]),
    ]

    @Test("tokens are lowercased letters and numbers, and all other characters are separators", arguments: texts)
    func splitting(text: String, expected: [String]) throws {
        let tokens = try TokenizedText(["remove_diacritics=0"]).words(of: text)
        // They are not compared as characters, because differently composed characters are equal.
        #expect(tokens.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(tokens)")
    }

    @Test("diacritics are removed by default and on request, both precomposed and combining")
    func diacritics() throws {
        for arguments in [["remove_diacritics=1"], []] {
            let tokens = try TokenizedText(arguments)
            #expect(
                try tokens.words(of: "Hâkimler résumé RE\u{301}SUMÉ Ångström ẛ") == [
                    "hakimler", "resume", "resume", "angstrom", "s",
                ]
            )
            // Letters with two accents and letters of other scripts are not changed.
            #expect(try tokens.words(of: "ấ ё") == ["ấ", "ё"])
        }
    }

    @Test("stop words are not tokens and do not take positions")
    func stopWords() throws {
        let english = try TokenizedText(["stopwords=en", "remove_diacritics=0"])
        #expect(try english.tokens(of: "The cat AND the dog").map(\.position) == [0, 1])
        #expect(try english.words(of: "The cat AND the dog") == ["cat", "dog"])
        #expect(try english.words(of: "can't he'll cannot") == ["can", "t", "ll"])
        #expect(try TokenizedText(["stopwords=fr"]).words(of: "le chat et la souris été") == ["chat", "souris", "ete"])
        #expect(try TokenizedText(["stopwords=fr", "remove_diacritics=0"]).words(of: "ÉTÉ chaud") == ["chaud"])
        #expect(try TokenizedText(["stopwords=de"]).words(of: "der die the") == ["der", "die", "the"])
        let custom = try TokenizedText(["stopwords=en", "stopwordlist=foo  bär", "remove_diacritics=0"])
        #expect(try custom.words(of: "the foo BÄR bar") == ["the", "bar"])
        #expect(try TokenizedText(["stopwords=en", "stopwordlist="]).words(of: "the foo") == ["the", "foo"])
    }

    @Test("a stop word right before an asterisk is kept in queries, and only there")
    func stopWordPrefixes() throws {
        let english = try TokenizedText(["stopwords=en"])
        #expect(try english.words(of: "the* cat") == ["cat"])
        let inQuery = try FullTextQueryMark.whileRunningQuery {
            [try english.words(of: "the* cat"), try english.words(of: "the *")]
        }
        #expect(inQuery == [["the", "cat"], []])
        #expect(try english.words(of: "the* cat") == ["cat"])
    }

    @Test("a combining solidus overlay ends a word")
    func overlay() throws {
        #expect(try TokenizedText([]).words(of: "a\u{338}b") == ["a", "b"])
    }

    @Test("stop words are filtered before stemming, and stemming follows case folding")
    func order() throws {
        let tokens = try TokenizedText(["stopwordlist=run buying", "stemmer=en"])
        #expect(try tokens.words(of: "Running RUN buying buys") == ["run", "buy"])
    }

    @Test("the positions of tokens are byte offsets in the text")
    func places() throws {
        let tokens = try TokenizedText(["stopwords=en", "stemmer=en"]).tokens(of: "Éclairs the BRIDGES … É")
        #expect(
            tokens == [
                .init(text: "eclair", start: 0, end: 8, position: 0),
                .init(text: "bridg", start: 13, end: 20, position: 1),
                .init(text: "e", start: 25, end: 27, position: 2),
            ]
        )
    }

    @Test("unknown tokenizer arguments are ignored")
    func unknownArguments() throws {
        let tokens = try TokenizedText([
            "colour=red", "stemmer=xx", "stopwords=xx", "nothing", "=", "remove_diacritics=0",
        ])
        #expect(try tokens.words(of: "The buying É") == ["the", "buying", "é"])
    }

    @Test("invalid UTF-8 separates tokens, wherever the text is invalid")
    func invalidText() throws {
        let tokens = try TokenizedText(["remove_diacritics=0"])
        #expect(try tokens.tokens(of: [0x61, 0xFF, 0x62, 0x80, 0x63, 0xC3]).map(\.text) == ["a", "b", "c"])
        #expect(
            try tokens.tokens(of: [0x61, 0xED, 0xA0, 0x80, 0x62, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x63]).map(\.text) == [
                "a", "b", "c",
            ]
        )
        #expect(try tokens.tokens(of: [0xC0, 0xAF, 0x61, 0xF4, 0x90, 0x80, 0x80]).map(\.text) == ["a"])
        var generator = SeededGenerator(seed: TestSeed.forThisTest())
        let breaking = try TokenizedText(["stopwordlist=\(FullTextLanguage.wordBreaksMark)", "stemmer=en"])
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let bytes = (0..<count).map { _ in
                // Not 0, at which SQLite's table for testing tokenizers may stop.
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0x80...255, using: &generator) : UInt8.random(in: 1...255, using: &generator)
            }
            for text in [try tokens.tokens(of: bytes), try breaking.tokens(of: bytes)] {
                var end = 0
                for token in text {
                    #expect(token.start >= end && token.end > token.start && token.end <= count, "\(bytes)")
                    end = token.end
                }
            }
        }
    }

    @Test("a token can have any length")
    func longTokens() throws {
        let word = String(repeating: "Aé", count: 200_000)
        let tokens = try TokenizedText(["stemmer=en", "remove_diacritics=0"]).tokens(of: word + " b")
        #expect(tokens.map(\.start) == [0, 600_001])
        #expect(tokens.first?.text == word.lowercased())
    }

    @Test("every character is classified as in SQLite's own tokenizer", arguments: [0, 1])
    func allCharacters(removesDiacritics: Int) throws {
        let own = try TokenizedText(["remove_diacritics=\(removesDiacritics)"])
        let builtIn = try TokenizedText(["remove_diacritics=\(removesDiacritics)"], tokenizer: "unicode61")
        var text = ""
        func compare() throws {
            let (left, right) = (try own.tokens(of: text), try builtIn.tokens(of: text))
            guard left != right else { return }
            let difference = zip(left, right).first { $0 != $1 }
            Issue.record("\(String(describing: difference)) in \(text.unicodeScalars.map { String($0.value, radix: 16) })")
        }
        // All of the planes in use, and samples of the others.
        for code in UInt32(1)..<0x20000 {
            guard let scalar = Unicode.Scalar(code) else { continue }
            text.unicodeScalars.append(contentsOf: ["x", scalar, " ", scalar, "."])
            if code % 512 == 511 {
                try compare()
                text = ""
            }
        }
        for code in stride(from: UInt32(0x20000), to: 0x110000, by: 4093) {
            if let scalar = Unicode.Scalar(code) {
                text.unicodeScalars.append(contentsOf: ["x", scalar, " ", scalar, "."])
            }
        }
        try compare()
    }

    @Test("SQL statements cannot register tokenizers")
    func registration() throws {
        let connection = try Connection.inMemory()
        try connection.registerFullTextTokenizer()
        let error = try sqliteError { try connection.execute("SELECT fts3_tokenizer('other', x'0011223344556677')") }
        #expect(error.message == "fts3tokenize disabled")
        try connection.close()
        #expect(try sqliteError { try connection.registerFullTextTokenizer() }.isMisuse)
    }
}
