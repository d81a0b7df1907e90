import QueryEngine
import Testing

@Suite("Words for completion")
struct CompletionTests {
    @Test("the path of a sampled property is text with which a query reads the property")
    func paths() throws {
        let database = try QueryDatabase()
        // A backtick and an accent are one character, and U+1FEF is canonically equivalent to a backtick.
        try database.save("d", #"{"order":1,"a b":2,"plain":{"Group":3},"x`\u0301":4,"y\u1FEF":5,"some":6,"z$1":7}"#)
        let sample = try CollectionSample(try database.collection())
        #expect(sample.properties.count == 8)
        for property in sample.properties {
            #expect(try database.rows("SELECT meta().id FROM _ WHERE \(property.path) IS NOT MISSING") == [#""d""#], "\(property.path)")
        }
    }

    @Test("all words of the language are in upper case")
    func keywords() {
        #expect(QueryNames.keywords.allSatisfy { $0 == $0.uppercased() })
        #expect(QueryNames.keywords.contains("SELECT"))
    }
}
