import SQLiteEngine
import Testing

@Suite("Stemming")
struct StemmerTests {
    @Test(
        "every supported language has a stemmer, by code and by name",
        arguments: [
            ("da", "danish", "undersøgelserne", "undersøg"), ("nl", "dutch", "lichamelijkheden", "licham"),
            ("en", "english", "applications", "applic"), ("fi", "finnish", "taloissani", "talo"),
            ("fr", "french", "continuellement", "continuel"),
            ("de", "german", "aufeinanderfolgenden", "aufeinanderfolg"),
            ("hu", "hungarian", "házakban", "ház"), ("it", "italian", "pronunciando", "pronunc"),
            ("no", "norwegian", "opplysningene", "opplysning"), ("pt", "portuguese", "boataria", "boat"),
            ("ro", "romanian", "absolventele", "absolvent"), ("ru", "russian", "важнейшими", "важн"),
            ("es", "spanish", "chicharrones", "chicharron"), ("sv", "swedish", "jaktkarlarne", "jaktkarl"),
            ("tr", "turkish", "evlerimizden", "ev"),
        ]
    )
    func languages(code: String, name: String, word: String, stem: String) throws {
        for language in [code, name] {
            #expect(try TokenizedText(["stemmer=\(language)", "remove_diacritics=0"]).words(of: word) == [stem])
            #expect(FullTextLanguage.isKnown(language))
        }
    }

    @Test("English uses the Porter2 stemmer, and the original Porter stemmer is available")
    func porter() throws {
        let words = "generously fairly skies happy relational"
        #expect(try TokenizedText(["stemmer=en"]).words(of: words) == ["generous", "fair", "sky", "happi", "relat"])
        #expect(try TokenizedText(["stemmer=porter"]).words(of: words) == ["gener", "fairli", "ski", "happi", "relat"])
    }

    @Test("a repeated word has the same stem, whatever words were stemmed in between")
    func repeatedWords() throws {
        // More words than are kept, some of them longer than those that are kept.
        let endings = ["", "s", "ing", "ational", "fulness", String(repeating: "x", count: 30) + "ing"]
        let words = (0..<600).flatMap { n in endings.map { "w\(String(n, radix: 26))\($0)" } }
        let forwards = try TokenizedText(["stemmer=en"])
        let first = try forwards.words(of: words.joined(separator: " "))
        #expect(first.count == words.count)
        #expect(try forwards.words(of: words.joined(separator: " ")) == first)
        let backwards = try TokenizedText(["stemmer=en"])
        #expect(try backwards.words(of: words.reversed().joined(separator: " ")) == first.reversed())
        // Each word is stemmed first by a tokenizer that knows no other.
        for (word, stem) in zip(words, first).prefix(60) {
            #expect(try TokenizedText(["stemmer=en"]).words(of: word) == [stem])
        }
    }

    @Test("unknown language codes have no stemmer")
    func unknown() throws {
        for language in ["xx", "EN", "english ", "", "eng", "lt", "ar"] {
            #expect(try TokenizedText(["stemmer=\(language)"]).words(of: "applications") == ["applications"])
            #expect(!FullTextLanguage.isKnown(language))
        }
    }

    @Test("a stem may be longer than the word after its suffix is removed")
    func growing() throws {
        // The "e" is added again: hoping, hope.
        let words = Array(repeating: "hoping", count: 3).joined(separator: " ")
        #expect(try TokenizedText(["stemmer=en"]).words(of: words) == ["hope", "hope", "hope"])
    }
}
