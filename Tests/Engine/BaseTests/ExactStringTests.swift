import Testing

@testable import Base

@Suite("Strings compared by their bytes")
struct ExactStringTests {
    /// Pairs that are equal as Swift `String`s.
    static let lookalikes: [(String, String)] = [
        ("\u{E9}", "e\u{301}"), ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}"), ("\u{212B}", "\u{C5}"),
        ("\u{C5}", "A\u{30A}"),
        ("\u{212A}", "K"), ("\u{37E}", ";"), ("\u{AC00}", "\u{1100}\u{1161}"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ]

    static let texts: [String] =
        lookalikes.flatMap { [$0.0, $0.1] } + [
            "", "a", "ab", "b", "\u{0}", "a\u{0}", "\u{FFFF}", "\u{1F600}", "ä long text that no small string holds",
        ]

    @Test("strings that are canonically equivalent but have different bytes are not equal", arguments: lookalikes)
    func lookalikesDiffer(_ pair: (String, String)) {
        #expect(pair.0 == pair.1)
        #expect(ExactString(pair.0) != ExactString(pair.1))
        #expect(!pair.0.isExactly(pair.1))
        #expect(!pair.0.isSecretEqual(toGuess: pair.1))
        #expect(ExactString(pair.0) < ExactString(pair.1) || ExactString(pair.1) < ExactString(pair.0))
        #expect(Set([ExactString(pair.0), ExactString(pair.1)]).count == 2)
        #expect(![pair.0].containsExactly(pair.1))
        #expect([pair.0, pair.1].firstIndex(ofExactly: pair.1) == 1)
    }

    @Test("equality, order and hashes of exact strings agree with those of their UTF-8 bytes")
    func agreesWithBytes() {
        for left in Self.texts {
            for right in Self.texts {
                let (a, b) = (Array(left.utf8), Array(right.utf8))
                #expect((ExactString(left) == ExactString(right)) == (a == b))
                #expect((ExactString(left) < ExactString(right)) == a.lexicographicallyPrecedes(b))
                #expect(left.isExactly(right) == (a == b))
                #expect(left.isSecretEqual(toGuess: right) == (a == b))
                #expect((ExactString(left).hashValue == ExactString(right).hashValue) == (a == b))
            }
        }
    }

    @Test("exact strings are found in sets and dictionaries by plain strings and literals")
    func collections() {
        let set = Set(exactly: Self.texts)
        #expect(set.count == Set(Self.texts.map { Array($0.utf8) }).count)
        for text in Self.texts { #expect(set.contains(text)) }
        #expect(!set.contains("missing"))
        var numbers: [ExactString: Int] = ["K": 1]
        numbers["\u{212A}"] = 2
        #expect(numbers["K"] == 1)
        #expect("\(ExactString("K"))" == "K")
    }

    @Test("a string begins exactly with a prefix if its bytes do, also before a combining accent")
    func prefixes() {
        #expect("_\u{301}a".beginsExactly(with: "_"))
        #expect(!"_\u{301}a".hasPrefix("_"))
        #expect("_".beginsExactly(with: "_") && "a".beginsExactly(with: ""))
        #expect(!"".beginsExactly(with: "_") && !"a_".beginsExactly(with: "_"))
        #expect(!"\u{E9}".beginsExactly(with: "e"))
        #expect("_\u{301}a".rest(afterExactly: "_").map { String($0).isExactly("\u{301}a") } == true)
        #expect("a".rest(afterExactly: "a") == "" && "a".rest(afterExactly: "b") == nil)
    }

    @Test("parts are separated by every separator, also before a combining accent, and empty ones are left out")
    func parts() {
        #expect("a,\u{301}b,,c".splitExactly(at: ",").map { ExactString($0) } == ["a", "\u{301}b", "c"])
        #expect("".splitExactly(at: ",").isEmpty)
    }

    @Test("an exact comparison with nil is false, also for the empty string")
    func absence() {
        #expect(!"".isExactly(nil))
        #expect("a".isExactly(Optional("a")))
    }

    @Test("doubling repeats every occurrence of a mark, also before combining accents")
    func doubling() {
        #expect("a~b~~".doubling("~") == "a~~b~~~~")
        #expect("~\u{301}".doubling("~").isExactly("~~\u{301}"))
        #expect("plain \u{37E}".doubling(";").isExactly("plain \u{37E}"))
    }

    @Test("a repetition of a secret is not equal to the secret")
    func repeatedSecrets() {
        #expect(!"ab".isSecretEqual(toGuess: "abab"))
        #expect(!"abab".isSecretEqual(toGuess: "ab"))
        #expect(!"".isSecretEqual(toGuess: "\u{0}"))
        #expect(!"\u{0}".isSecretEqual(toGuess: ""))
        #expect("".isSecretEqual(toGuess: ""))
    }
}
