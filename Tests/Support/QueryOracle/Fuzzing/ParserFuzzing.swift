import ConformanceSupport
import Fleece
import Foundation
import QueryLanguage
import TestSupport

/// Parses texts that are invalid in many ways, and checks that the only failures are errors with a message and a valid offset.
package struct ParserFuzzing {
    /// The result of a run.
    package struct Outcome: Sendable {
        package var accepted = 0
        package var refused = 0
        /// Descriptions of the failures.
        package var failures: [String] = []
        /// The text that took longest, and its time in seconds.
        package var slowest = (seconds: 0.0, text: "")
    }

    /// Parses `count` texts on the current thread.
    package static func run(_ parser: FuzzedParser, count: Int, seed: UInt64) -> Outcome {
        var mutator = TextMutator(random: SeededGenerator(seed: seed), samples: parser.samples, words: parser.words)
        var outcome = Outcome()
        let clock = ContinuousClock()
        for _ in 0..<count where outcome.failures.count < 3 {
            let text = mutator.text()
            let start = clock.now
            let failure = failure(of: parser, text, &outcome)
            let seconds = (clock.now - start) / .seconds(1)
            if seconds > outcome.slowest.seconds { outcome.slowest = (seconds, text) }
            if let failure { outcome.failures.append("\(parser) seed \(seed): \(failure)\n\(text.debugDescription)") }
        }
        return outcome
    }

    /// Parses every prefix of every sample of a parser.
    package static func runBeginnings(_ parser: FuzzedParser) -> Outcome {
        var outcome = Outcome()
        for text in parser.samples where text.utf8.count < 250 {
            for length in 0...text.count {
                let beginning = String(text.prefix(length))
                if let failure = failure(of: parser, beginning, &outcome) {
                    outcome.failures.append("\(parser): \(failure)\n\(beginning.debugDescription)")
                }
            }
        }
        return outcome
    }

    private static func failure(of parser: FuzzedParser, _ text: String, _ outcome: inout Outcome) -> String? {
        do {
            try parser.read(text)
            outcome.accepted += 1
            return nil
        } catch let error as QueryError {
            outcome.refused += 1
            if error.message.isEmpty { return "an error without a message" }
            if let offset = error.offset, !(0...text.utf8.count).contains(offset) { return "the offset \(offset)" }
            return nil
        } catch {
            return "another kind of error: \(error)"
        }
    }
}

/// The texts of the conformance file, if it exists.
enum ConformanceTexts {
    private static let rows: [(language: String, query: String, predicate: String?)] = ConformanceCase.all.compactMap {
        test in
        test.row.withRoot { row in
            guard let language = row["language"]?.string, let query = row["query"] else { return nil }
            let text = query.string ?? (try? JSON.string(query)) ?? ""
            return (language, text, row["predicate"]?.string)
        } ?? nil
    }

    static let sql = rows.filter { $0.language != "json" }.map(\.query)
    static let json = rows.filter { $0.language == "json" }.map(\.query)
    static let predicates = rows.compactMap(\.predicate)
}
