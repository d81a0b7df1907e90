import CouchbaseLiteSwift
import Foundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The code of the guide. Its types are nested, because other guides have types of the same names.
private enum RetrievalGuide {
    struct Article: Codable, Identifiable {
        @DocumentID var id: String?
        var title: String
        var body: String
    }

    struct Passage: Codable, Identifiable {
        @DocumentID var id: String?
        var article: String
        var title: String
        var text: String
        /// The place in the article, in bytes of UTF-8.
        var start: Int
        var end: Int
    }

    static func divide(_ article: Article, into passages: ModelCollection<Passage>) throws {
        guard let id = article.id else { return }
        let chunks = Chunker(maximumLength: 800, overlap: 150).chunks(of: article.body)
        for chunk in chunks {
            let passage = Passage(
                id: "\(id)#\(chunk.index)",
                article: id,
                title: article.title,
                text: chunk.text,
                start: chunk.bytes.lowerBound,
                end: chunk.bytes.upperBound
            )
            if try passages.get("\(id)#\(chunk.index)")?.text != chunk.text { try passages.save(passage) }
        }
        var next = chunks.count
        while let old = try passages.get("\(id)#\(next)") {
            try passages.delete(old)
            next += 1
        }
    }

    struct WordTable: Embedder {
        let dimensions = 3
        let table: [String: [Float]]

        func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?] {
            texts.map { text in
                let words = text.lowercased().split { !$0.isLetter }
                let known = words.compactMap { table[String($0)] }
                if known.isEmpty { return nil }
                return (0..<dimensions).map { place in
                    known.reduce(0) { $0 + $1[place] } / Float(known.count)
                }
            }
        }
    }

    struct LocalProcess: Embedder {
        let dimensions: Int
        let program: URL
        var arguments: [String] = []

        func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?] {
            let (process, input, output) = (Process(), Pipe(), Pipe())
            process.executableURL = program
            process.arguments = arguments
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(texts))
            try input.fileHandleForWriting.close()
            let answer = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return try JSONDecoder().decode([[Float]?].self, from: answer)
        }
    }

    struct RemoteService: Embedder {
        let dimensions: Int
        let address: URL

        func embed(_ texts: [String], for purpose: EmbeddingPurpose) async throws -> [[Float]?] {
            var request = URLRequest(url: address)
            request.httpMethod = "POST"
            let prefix = purpose == .query ? "query: " : "passage: "
            request.httpBody = try JSONEncoder().encode(texts.map { prefix + $0 })
            let (answer, _) = try await URLSession.shared.data(for: request)
            return try JSONDecoder().decode([[Float]?].self, from: answer)
        }
    }
}

@Suite("The guide to retrieval")
struct RetrievalGuideTests {
    private typealias Article = RetrievalGuide.Article
    private typealias Passage = RetrievalGuide.Passage

    private let test: TestDatabase
    private let database: Database

    init() throws {
        test = try TestDatabase()
        database = test.database
    }

    private let embedder = RetrievalGuide.WordTable(table: [
        "bake": [1, 0, 0], "oven": [1, 0.1, 0], "tart": [0.9, 0, 0.1], "sail": [0, 1, 0], "wind": [0, 1, 0.1], "boat": [0, 0.9, 0],
    ])

    @Test("passages of articles are found by words and by vectors, and stay in step with the articles")
    func fromDocumentsToPassages() async throws {
        let passages = try database.createCollection(name: "passages").models(Passage.self)
        try passages.collection.createIndex(
            withName: "words",
            config: FullTextIndexConfiguration(["title", "text"], language: "en")
        )
        var vectors = VectorIndexConfiguration(expression: "text", dimensions: 3, centroids: 8)
        vectors.metric = .cosine
        vectors.isLazy = true
        try passages.collection.createIndex(withName: "meanings", config: vectors)

        var article = Article(id: "kitchen", title: "Kitchen", body: "Heat the oven first. Then cut the lemons.")
        try RetrievalGuide.divide(article, into: passages)
        let boats = Article(id: "boats", title: "Boats", body: "A boat sails with the wind.")
        try RetrievalGuide.divide(boats, into: passages)

        let index = try passages.collection.index(withName: "meanings")!
        let count = try await index.update(with: embedder, batch: 32)
        #expect(count == 2)

        let question = "How do I bake a tart?"
        let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " OR ")
        let search = passages.search(
            text: words,
            in: "words",
            vector: try await embedder.vector(forQuery: question),
            by: "text",
            limit: 5
        )
        let hits = try search.all()
        for hit in hits { print(hit.model.title, hit.textScore ?? 0, hit.distance ?? 0) }
        // "bake" and "tart" are in no text: only the vectors find the passage first. The words find nothing.
        #expect(hits.map(\.model.article) == ["kitchen", "boats"])
        #expect(hits.map(\.textScore) == [nil, nil] && hits[0].distance ?? 1 < 0.1)

        let query = try database.createQuery(
            """
            SELECT s.document.title, s.snippet, s.score
            FROM search({"of": "passages", "text": $words, "in": "words",
                         "vector": $vector, "by": "text", "limit": 5}) AS s
            ORDER BY s.score DESC
            """
        )
        let vector = try await embedder.vector(forQuery: question)
        query.parameters = Parameters()
            .setString(words, forName: "words")
            .setArray(MutableArrayObject(data: vector), forName: "vector")
        for row in try query.execute() {
            print(row.string(forKey: "title") ?? "", row.double(forKey: "score"))
        }
        let rows = try query.execute().allResults()
        #expect(rows.map { $0.string(at: 0) } == ["Kitchen", "Boats"])
        #expect(rows.map { $0.double(at: 2) } == hits.map(\.score))

        var prompt = "Answer from these passages only, and cite their numbers.\n\n"
        for (number, hit) in hits.enumerated() {
            prompt += "[\(number + 1)] \(hit.model.title): \(hit.model.text)\n"
        }
        prompt += "\nQuestion: \(question)\n"
        #expect(prompt.contains("[1] Kitchen: Heat the oven first."))
        let cited = Array(article.body.utf8)[hits[0].model.start..<hits[0].model.end]
        #expect(String(decoding: cited, as: UTF8.self) == hits[0].model.text)

        // A passage that has changed needs a vector again, and one that is not there any more is deleted.
        article.body = "Cut the lemons."
        try RetrievalGuide.divide(article, into: passages)
        #expect(try await index.update(with: embedder) == 0)
        article.body = ""
        try RetrievalGuide.divide(article, into: passages)
        #expect(try passages.get("kitchen#0") == nil)
    }

    @Test("a program that reads texts and prints vectors is an embedder")
    func localProcess() async throws {
        let answer = "cat > /dev/null; echo '[[1, 2], null]'"
        let embedder = RetrievalGuide.LocalProcess(dimensions: 2, program: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", answer])
        let vectors = try await embedder.embed(["a", "b"], for: .document)
        #expect(vectors == [[1, 2], nil])
    }
}
