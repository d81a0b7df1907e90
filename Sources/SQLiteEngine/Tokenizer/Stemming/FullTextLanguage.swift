/// What full-text search knows of languages (Query 6.1).
package enum FullTextLanguage {
    /// The Snowball algorithms by code and by English name.
    private static let stemmers: [String: String] = {
        let names = [
            "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german",
            "hu": "hungarian", "it": "italian", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
            "ru": "russian",
            "es": "spanish", "sv": "swedish", "tr": "turkish",
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

    /// The name of the Snowball algorithm for a language by its code or its English name; nil when there is none.
    package static func stemmer(for language: String) -> String? { stemmers[language] }

    /// Whether words of the language are to be found by dictionary.
    package static func needsWordBreaks(_ language: String) -> Bool { unspaced.contains(language) }

    /// A stop word that asks for word breaks. It can never be a token, having a hyphen, so that to the original's tokenizer it says
    /// nothing; and a table without it is cut up as the original does it, in any language.
    package static let wordBreaksMark = "unicode-words"

    /// Whether anything is known of a language.
    package static func isKnown(_ language: String) -> Bool {
        stemmer(for: language) != nil || needsWordBreaks(language)
    }

    /// The built-in stop words of a language, separated by spaces; nil for a language without (Query, appendix B). Those with an
    /// apostrophe are left out: no token has one.
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
