import Base
import DocumentStore
import QueryLanguage
import Synchronization
import TestSupport
import TestTraits
import Testing
import VectorSearch

@testable import QueryEngine

/// What vector indexes log (Vector search VT-7, VV-7, T-19).
@Suite("Vector log", .receivesProcessLog)
struct VectorLogTests {
    private final class Lines: Sendable {
        let lines = Mutex<[(level: EventLevel, domain: EventDomain, text: String)]>([])
    }

    /// Runs `body`, and returns the messages that contain the text: other tests log too.
    private func messages(with text: String, _ body: () throws -> Void) throws -> [(level: EventLevel, domain: EventDomain, text: String)] {
        let lines = Lines()
        let log = EngineLog.shared
        var wantedBefore: [EventDomain: Set<EventLevel>] = [:]
        for domain in EventDomain.allCases { wantedBefore[domain] = Set(EventLevel.allCases.filter { EngineLog.isEnabled($0, domain) }) }
        let receiverBefore = log.setReceiver { level, domain, message in
            let message = message()
            lines.lines.withLock { $0.append((level, domain, message)) }
        }
        log.setWanted { level, _ in level.rawValue >= EventLevel.info.rawValue }
        defer {
            log.setWanted { wantedBefore[$1]?.contains($0) ?? false }
            log.setReceiver(receiverBefore)
        }
        try body()
        return lines.lines.withLock { $0.filter { $0.text.contains(text) } }
    }

    @Test("each run of a query on an index that is not trained logs one warning, and none when it is trained")
    func untrained() throws {
        let words = try VectorDatabase.withPoints(24, nil)
        try words.createIndex("logged_index")
        let warnings = try messages(with: "logged_index") {
            for _ in 0..<3 { _ = try words.nearest() }
        }
        #expect(warnings.count == 3)
        #expect(warnings.allSatisfy { $0.level == .warning && $0.domain == .query })
        let text = #"Untrained index; queries may be slow: "logged_index" has 24 vectors, and needs 25 to be trained"#
        #expect(warnings.allSatisfy { $0.text == text }, "\(warnings)")
        try words.save("w24", 24, 0)
        #expect(try messages(with: "logged_index") { _ = try words.nearest() }.isEmpty)
        try words.createIndex("logged_empty", expression: "nothing")
        let empty = try messages(with: "logged_empty") { _ = try words.nearest(distance: "APPROX_VECTOR_DISTANCE(nothing, $t)") }
        #expect(empty.count == 1)
    }

    @Test("a value that is no vector is named by its document, index and mistake, and never shown")
    func values() throws {
        let words = try VectorDatabase.withPoints(2, nil)
        try words.createIndex("logged_values")
        let cases = [
            (#""secret!""#, "data is wrong length to be a vector"), ("[1,2,3]", "vector has wrong number of dimensions"),
            (#"["secret",1]"#, "array contains a non-numeric value"), (#"{"secret":1}"#, "value is wrong type to be a vector"),
        ]
        for (value, problem) in cases {
            let lines = try messages(with: "logged_values") {
                try words.database.save("document", #"{"vector":\#(value)}"#, in: "words")
            }
            #expect(lines.count == 1, "\(value): \(lines)")
            #expect(lines.allSatisfy { $0.level == .warning && $0.text.contains(#""document""#) && $0.text.hasSuffix(problem) }, "\(lines)")
            #expect(lines.allSatisfy { !$0.text.contains("secret") })
        }
        for value in ["null", "[3,4]"] {
            let lines = try messages(with: "logged_values") {
                try words.database.save("document", #"{"vector":\#(value)}"#, in: "words")
            }
            #expect(lines.isEmpty, "\(value): \(lines)")
        }
        // A bulk fill logs one warning for each hundred.
        try words.database.file.transaction { _ in
            for number in 0..<250 { try words.database.save("bad \(number)", #"{"vector":"secret"}"#, in: "words") }
        }
        let lines = try messages(with: "logged_values") { try words.database.indexes.rebuild() }
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { !$0.text.contains("secret") })
    }

    @Test("taking over an index of the original is logged once, and a lazy one with a warning")
    func adoption() throws {
        let file = OriginalVectorFile(words: try VectorDatabase.withPoints(3, nil))
        try file.addIndex("logged_original")
        try file.addIndex("logged_lazy", arguments: "dimensions=2,clustering=flat2,lazyembedding=true", isLazy: true)
        let lines = try messages(with: "logged_") { try file.words.save("new", 1, 2) }
        #expect(lines.count { $0.level == .info } == 2, "\(lines)")
        #expect(lines.filter { $0.level == .warning }.map { $0.text.contains("logged_lazy") } == [true], "\(lines)")
        #expect(try messages(with: "logged_original") { try file.words.save("newer", 1, 2) }.isEmpty)
    }
}
