import CouchbaseLiteSwift
import TestSupport
import Testing

@Suite("Comparisons of texts without case in predicates")
struct PredicateTextsTests {
    struct Word: Codable, Identifiable, Sendable {
        @DocumentID var id: String?
        var text: String
        var note: String?
    }

    let test: TestDatabase
    let words: ModelCollection<Word>
    let all: [Word]

    init() throws {
        test = try TestDatabase()
        words = try test.database.createCollection(name: "words").models()
        let texts = ["Soup", "SOUP of the day", "crème brûlée", "Creme Brulee", "ÉCLAIR", "éclair", "cake", "", "STRASSE"]
        for (number, text) in texts.enumerated() { try words.save(Word(id: "\(number)", text: text, note: number % 2 == 0 ? text : nil)) }
        all = try words.query(orderBy: [SortDescriptor(\.id)]).all()
    }

    /// The texts that satisfy a predicate, after a comparison with those that satisfy it in Swift.
    private func texts(_ predicate: Predicate<Word>) throws -> [String] {
        let found = try words.query(where: predicate, orderBy: [SortDescriptor(\.id)]).all().map(\.text)
        #expect(try found == all.filter { try predicate.evaluate($0) }.map(\.text))
        // Foundation must be able to print it.
        #expect(!"\(predicate)".isEmpty)
        return found
    }

    @Test("localizedStandardContains ignores case and accents")
    func contains() throws {
        let part = "BRU"
        #expect(try texts(#Predicate { $0.text.localizedStandardContains("soup") }) == ["Soup", "SOUP of the day"])
        #expect(try texts(#Predicate { $0.text.localizedStandardContains(part) }) == ["crème brûlée", "Creme Brulee"])
        #expect(try texts(#Predicate { $0.note?.localizedStandardContains("eclair") ?? false }) == ["ÉCLAIR"])
        #expect(try texts(#Predicate { !$0.text.localizedStandardContains("e") }) == ["Soup", ""])
        #expect(
            try texts(#Predicate { "a soup of the day".localizedStandardContains($0.text) && $0.text != "" }) == [
                "Soup", "SOUP of the day",
            ]
        )
    }

    @Test("caseInsensitiveCompare ignores case, but not accents")
    func compare() throws {
        let (same, descending) = (ComparisonResult.orderedSame, ComparisonResult.orderedDescending)
        #expect(try texts(#Predicate { $0.text.caseInsensitiveCompare("éCLAIR") == same }) == ["ÉCLAIR", "éclair"])
        #expect(try texts(#Predicate { $0.text.caseInsensitiveCompare("soup") != same && $0.text != "" }).count == 7)
        #expect(try texts(#Predicate { $0.text.caseInsensitiveCompare("SOUP") == descending }).contains("SOUP of the day"))
    }

    @Test("ignoringCase compares, searches and finds the beginnings of texts in lower case")
    func lowerCase() throws {
        let word = "SoUp"
        #expect(try texts(#Predicate { $0.text.ignoringCase == word.ignoringCase }) == ["Soup"])
        #expect(try texts(#Predicate { $0.text.ignoringCase.starts(with: word.ignoringCase) }) == ["Soup", "SOUP of the day"])
        #expect(try texts(#Predicate { $0.text.ignoringCase.contains("of THE".ignoringCase) }) == ["SOUP of the day"])
        #expect(try texts(#Predicate { $0.text.ignoringCase < "d" && $0.text.count > 0 }) == ["crème brûlée", "Creme Brulee", "cake"])
        #expect(try texts(#Predicate { $0.note?.ignoringCase == "éclair" }) == ["ÉCLAIR"])
        #expect(try texts(#Predicate { ["soup", "cake"].contains($0.text.ignoringCase) }) == ["Soup", "cake"])
    }

    @Test("an index on the text in lower case is used for a comparison without case")
    func index() throws {
        try words.collection.createIndex(withName: "lower", config: ValueIndexConfiguration(["lower(text)"]))
        let query = words.query(where: #Predicate { $0.text.ignoringCase == "soup" })
        #expect(try query.explain().contains("USING INDEX"))
        #expect(try query.all().map(\.text) == ["Soup"])
    }
}
