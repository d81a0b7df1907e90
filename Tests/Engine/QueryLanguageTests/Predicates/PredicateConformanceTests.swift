import ConformanceSupport
import Fleece
import QueryLanguage
import TestSupport
import Testing

@Suite("Predicate strings of the conformance file")
struct PredicateConformanceTests {
    private static let cases = ConformanceCase.all.filter { $0.name.hasPrefix("pred") }

    @Test(
        "the conformance file has predicates, sort keys and result expressions",
        .enabled(if: ConformanceCase.isSpecification, "another table is run")
    )
    func isComplete() {
        for key in ["predicate", "sortKey", "returning"] {
            #expect(Self.cases.contains { $0.row.root?[key] != nil }, "\(key)")
        }
    }

    @Test("a predicate string is parsed to the tree of its JSON query", arguments: cases)
    func translate(test: ConformanceCase) throws {
        try test.row.withRoot { row in
            let query = try QueryJSON.parse(JSON.string(#require(row["query"])))
            if let text = row["predicate"]?.string {
                #expect(try PredicateString.parse(text) == query.condition)
            } else if let text = row["sortKey"]?.string {
                #expect(try [PredicateString.parseOrdering(text)] == query.ordering)
            } else {
                let texts = try #require(row["returning"]).items.compactMap(\.string)
                #expect(try texts.map(PredicateString.parseResult) == query.items.map(\.expression))
            }
        }
    }
}
