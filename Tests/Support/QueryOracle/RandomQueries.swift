import QueryEngine
import QueryLanguage
import TestSupport

/// Runs random queries over random documents, and compares the results of the engine and the naive evaluator.
package struct RandomQueries {
    /// The result of a run.
    package struct Outcome: Sendable {
        package var compared = 0
        /// The number of queries whose rows the specification does not define.
        package var unspecified = 0
        /// Descriptions of the first differences.
        package var differences: [String] = []
        /// How many of the compared queries have each feature.
        package var features: [QueryFeature: Int] = [:]
    }

    /// The number of queries for each database.
    private static let queriesPerDatabase = 200

    private let seed: UInt64
    private var random: SeededGenerator
    private var outcome = Outcome()
    private let maximumDifferences: Int

    private init(seed: UInt64, maximumDifferences: Int) {
        self.seed = seed
        self.maximumDifferences = maximumDifferences
        random = SeededGenerator(seed: seed)
    }

    /// Compares `count` queries, not counting those whose rows are not specified.
    package static func run(count: Int, seed: UInt64, maximumDifferences: Int = 3) throws -> Outcome {
        var run = RandomQueries(seed: seed, maximumDifferences: maximumDifferences)
        while run.outcome.compared < count, run.outcome.differences.count < maximumDifferences {
            try run.askDatabase(upTo: count)
        }
        return run.outcome
    }

    private mutating func askDatabase(upTo count: Int) throws {
        let databaseSeed = random.next()
        var documents = DocumentGenerator(random: SeededGenerator(seed: databaseSeed), isASCII: random.next() % 3 > 0)
        let database = try TestedDatabase(&documents)
        var queries = QueryGenerator(random: SeededGenerator(seed: databaseSeed ^ 1), isASCII: documents.isASCII)
        let all = (0..<Self.queriesPerDatabase).map { _ in queries.query() }
        let indexes = try database.addIndexedCopies(for: all, &queries.expressions)
        for query in all {
            guard outcome.compared < count, outcome.differences.count < maximumDifferences else { return }
            let form = QueryForm.allCases[queries.expressions.count(0...(QueryForm.allCases.count - 1))]
            ask(query, form, database, indexes)
        }
    }

    private mutating func ask(_ query: GeneratedQuery, _ form: QueryForm, _ database: TestedDatabase, _ indexes: [String]) {
        var features = query.select.features(query.parameters)
        let written = form.rewritten(query.select, &features)
        if !indexes.isEmpty { features.insert(.indexed) }
        switch Comparison.of(query, written, database) {
        case .same:
            outcome.compared += 1
            for feature in features { outcome.features[feature, default: 0] += 1 }
        case .unspecified: outcome.unspecified += 1
        case .different(let what):
            outcome.compared += 1
            let smallest = Shrinking.smallest(query) { candidate in
                if case .different = Comparison.of(candidate, form.rewritten(candidate.select, &features), database) {
                    true
                } else {
                    false
                }
            }
            outcome.differences.append(report(smallest, form, database, indexes, what))
        }
    }

    private func report(
        _ query: GeneratedQuery,
        _ form: QueryForm,
        _ database: TestedDatabase,
        _ indexes: [String],
        _ first: String
    ) -> String {
        var lines = ["seed \(seed), asked as \(form)"]
        lines += database.model.lines
        lines += indexes.map { "  " + $0 }
        lines.append("  " + QueryJSON.text(of: query.select))
        lines.append("  parameters \(query.parameters)")
        if let sql = try? PreparedQuery(query.select, on: database.file, databaseName: "db").compiled.sql {
            lines.append("  " + sql)
        }
        var features: Set<QueryFeature> = []
        let written = form.rewritten(query.select, &features)
        if case .different(let what) = Comparison.of(query, written, database) {
            lines.append(what)
        }
        if lines.count < 3 { lines.append(first) }
        return lines.joined(separator: "\n")
    }
}

/// The form in which a query is passed to the engine.
enum QueryForm: CaseIterable {
    case tree
    case json
    case text
    /// SQL++ with comments, and with WITH and LET if possible.
    case decoratedText

    /// Returns the query after writing and parsing it in this form, or the error of the parser. A query without a SQL++ text is returned
    /// unchanged.
    ///
    /// - Parameter features: The features of the form are inserted.
    func rewritten(_ select: SelectStatement, _ features: inout Set<QueryFeature>) -> Result<SelectStatement, QueryError> {
        do throws(QueryError) {
            switch self {
            case .json:
                features.insert(.json)
                return .success(try QueryJSON.parse(QueryJSON.text(of: select)))
            case .text:
                guard let text = SQLPlusPlusPrinter.text(of: select) else { break }
                features.insert(.text)
                return .success(try SQLPlusPlus.parse(text))
            case .decoratedText:
                guard let decorated = SQLPlusPlusPrinter.decoratedText(of: select) else { break }
                features.insert(.comments)
                if decorated.hasWith { features.insert(.with) }
                if decorated.hasLet { features.insert(.let) }
                return .success(try SQLPlusPlus.parse(decorated.text))
            case .tree: break
            }
            features.insert(.tree)
            return .success(select)
        } catch {
            return .failure(error)
        }
    }
}
