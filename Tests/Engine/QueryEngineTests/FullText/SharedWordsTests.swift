import DocumentStore
import QueryEngine
import Testing

@Suite("Check of full-text indexes with dictionary segmentation")
struct SharedWordsTests {
    @Test("a database check warns about a Japanese full-text index and not about an English one")
    func warning() throws {
        let database = try QueryDatabase()
        try database.save("a", #"{"s":"東京都に住む","t":"words"}"#)
        for (name, language, property) in [("english", "en", "t"), ("japanese", "ja", "s")] {
            let options = FullTextIndexOptions(language: language)
            let definition = IndexDefinition(name: name, kind: .fullText(options), text: property)
            try database.indexes.create(definition, on: try database.collection())
        }
        let findings = try BundleChecker(database.file).findings()
        #expect(findings.map(\.severity) == [.warning])
        #expect(findings.first?.subject.contains("japanese") == true)
    }
}
