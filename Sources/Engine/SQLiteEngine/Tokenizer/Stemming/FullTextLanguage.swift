/// The languages supported by full-text search (Query 6.1).
package enum FullTextLanguage {
    /// The names of the Snowball algorithms by language code and English name.
    private static let stemmers: [String: String] = {
        let names = [
            "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german",
            "hu": "hungarian", "it": "italian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
            "ru": "russian", "es": "spanish", "sv": "swedish", "tr": "turkish",
        ]
        var found = names
        for name in names.values { found[name] = name }
        found["porter"] = "porter"
        return found
    }()

    /// The languages whose words are not separated by spaces.
    private static let unspaced: Set<String> = [
        "zh", "chinese", "yue", "ja", "japanese", "th", "thai", "lo", "lao", "km", "khmer", "my", "burmese",
    ]

    /// Returns the name of the Snowball algorithm for a language code or English name, or `nil` if there is none.
    package static func stemmer(for language: String) -> String? { stemmers[language] }

    /// Returns whether the words of the language must be found with a dictionary.
    package static func needsWordBreaks(_ language: String) -> Bool { unspaced.contains(language) }

    /// A stop word that enables word breaks. It contains a hyphen, so it can never be a token and has no effect on the tokenizer of
    /// Couchbase Lite. A table without it is tokenized like by Couchbase Lite, in any language.
    package static let wordBreaksMark = "unicode-words"

    /// Returns whether a stemmer or word breaks are available for a language.
    package static func isKnown(_ language: String) -> Bool {
        stemmer(for: language) != nil || needsWordBreaks(language)
    }

    /// Returns the built-in stop words of a language, separated by spaces, or `nil` if there are none (Query, appendix B). Words with an
    /// apostrophe are left out, because no token contains one.
    static func stopWords(of language: String) -> String? {
        switch language {
        case "en", "english": english
        case "fr", "french": french
        default: nil
        }
    }

    private static let english = """
        i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself \
        they them their theirs themselves what which who whom this that these those am is are was were be been being have has had \
        having do does did doing would should could ought cannot a an the and but if or because as until while of at by for with \
        about against between into through during before after above below to from up down in out on off over under again further \
        then once here there when where why how all any both each few more most other some such no nor not only own same so than \
        too very
        """

    private static let french = """
        au aux avec ce ces dans de des du elle en et eux il je la le leur lui ma mais me même mes moi mon ne nos notre nous on ou par \
        pas pour qu que qui sa se ses son sur ta te tes toi ton tu un une vos votre vous c d j l à m n s t y été étée étées étés étant \
        suis es est sommes êtes sont serai seras sera serons serez seront serais serait serions seriez seraient étais était étions \
        étiez étaient fus fut fûmes fûtes furent sois soit soyons soyez soient fusse fusses fût fussions fussiez fussent ayant eu eue \
        eues eus ai as avons avez ont aurai auras aura aurons aurez auront aurais aurait aurions auriez auraient avais avait avions \
        aviez avaient eut eûmes eûtes eurent aie aies ait ayons ayez aient eusse eusses eût eussions eussiez eussent ceci cela celà \
        cet cette ici ils les leurs quel quels quelle quelles sans soi
        """
}
