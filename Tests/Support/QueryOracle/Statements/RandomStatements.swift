import QueryLanguage
import TestSupport

/// Runs random statements that change random documents, and compares the documents and results with those of the naive evaluator. Random
/// queries between them show that the indexes follow.
package struct RandomStatements {
    /// The result of a run.
    package struct Outcome: Sendable {
        package var compared = 0
        /// The number of statements whose effect the specification does not define.
        package var unspecified = 0
        /// Descriptions of the first differences.
        package var differences: [String] = []
        /// How many of the compared statements have each feature.
        package var features: [StatementFeature: Int] = [:]
    }

    private static let statementsPerDatabase = 60
    /// A database with more documents in a collection is replaced by a new one, because joins of all documents take long.
    private static let largestCollection = 16

    private let seed: UInt64
    private var random: SeededGenerator
    private var outcome = Outcome()
    private let maximumDifferences: Int

    private init(seed: UInt64, maximumDifferences: Int) {
        self.seed = seed
        self.maximumDifferences = maximumDifferences
        random = SeededGenerator(seed: seed)
    }

    /// Compares `count` statements, not counting those whose effect is not specified.
    package static func run(count: Int, seed: UInt64, maximumDifferences: Int = 3) throws -> Outcome {
        var run = RandomStatements(seed: seed, maximumDifferences: maximumDifferences)
        while run.outcome.compared < count, run.outcome.differences.count < maximumDifferences {
            try run.changeDatabase(upTo: count)
        }
        return run.outcome
    }

    private mutating func changeDatabase(upTo count: Int) throws {
        let databaseSeed = random.next()
        var documents = DocumentGenerator(random: SeededGenerator(seed: databaseSeed), isASCII: random.next() % 3 > 0)
        let database = try TestedDatabase(&documents)
        var queries = QueryGenerator(random: SeededGenerator(seed: databaseSeed ^ 1), isASCII: documents.isASCII)
        var statements = StatementGenerator(random: SeededGenerator(seed: databaseSeed ^ 2), isASCII: documents.isASCII)
        let indexes = random.next() % 2 == 0 ? try database.addIndexes(&queries.expressions) : []
        statements.expressions.indexedPaths = queries.expressions.indexedPaths
        for _ in 0..<Self.statementsPerDatabase {
            guard outcome.compared < count, outcome.differences.count < maximumDifferences else { return }
            if database.model.collections.values.contains(where: { $0.count > Self.largestCollection }) { return }
            let form = StatementForm.allCases[Int(random.next() % 3)]
            try run(statements.statement(), form, inBatch: random.next() % 4 == 0, database, indexes)
            ask(queries.query(), database, indexes)
        }
    }

    private mutating func run(
        _ generated: GeneratedStatement,
        _ form: StatementForm,
        inBatch: Bool,
        _ database: TestedDatabase,
        _ indexes: [String]
    ) throws {
        let before = database.model
        var features = generated.features
        let written = form.rewritten(generated.statement, &features)
        if inBatch { features.insert(.inBatch) }
        if !indexes.isEmpty { features.insert(.indexed) }
        switch OracleStatement(statement: generated.statement, database: before, parameters: generated.parameters).outcome {
        case .some(0): features.insert(.changesNothing)
        case nil: features.insert(.refused)
        default: break
        }
        switch try Comparison.of(generated, written, database, inBatch: inBatch) {
        case .same:
            outcome.compared += 1
            for feature in features { outcome.features[feature, default: 0] += 1 }
        case .unspecified: outcome.unspecified += 1
        case .different(let what):
            outcome.compared += 1
            var lines = ["seed \(seed), given as \(form), in a batch: \(inBatch)"] + before.lines + indexes.map { "  " + $0 }
            lines.append("  \(StatementPrinter.text(of: generated.statement) ?? "\(generated.statement)")")
            lines.append("  parameters \(generated.parameters)")
            outcome.differences.append((lines + [what]).joined(separator: "\n"))
        }
    }

    private mutating func ask(_ query: GeneratedQuery, _ database: TestedDatabase, _ indexes: [String]) {
        guard case .different(let what) = Comparison.of(query, .success(query.select), database) else { return }
        let lines = ["seed \(seed), a query after statements"] + database.model.lines + indexes.map { "  " + $0 }
        outcome.differences.append((lines + ["  " + QueryJSON.text(of: query.select), what]).joined(separator: "\n"))
    }
}

/// The form in which a statement is passed to the engine.
enum StatementForm: CaseIterable {
    case tree
    case text
    case textWithComments

    /// Returns the statement after writing and parsing it in this form. A statement without a SQL++ text is returned unchanged.
    func rewritten(_ statement: DataStatement, _ features: inout Set<StatementFeature>) -> Result<DataStatement, QueryError> {
        guard self != .tree, let text = StatementPrinter.text(of: statement) else {
            features.insert(.tree)
            return .success(statement)
        }
        features.insert(self == .text ? .text : .comments)
        do throws(QueryError) {
            let written = self == .text ? text : DecoratedText(text).text
            guard let parsed = try SQLPlusPlus.parseDataStatement(written) else {
                return .failure(.invalidQuery("the text does not begin like a statement"))
            }
            return .success(parsed)
        } catch {
            return .failure(error)
        }
    }
}

extension OracleStatement {
    /// The number of changes; `nil` if the statement must fail, -1 if that is not specified.
    fileprivate var outcome: Int? {
        do {
            return try effect().count
        } catch {
            return error is Refusal ? nil : -1
        }
    }
}

extension OracleDatabase {
    /// A description of each document.
    var lines: [String] {
        collections.sorted { $0.key < $1.key }.flatMap { name, documents in
            documents.map { document in
                "  \(name) \(document.id) \(document.sequence)\(document.isDeleted ? " deleted" : "") \(OracleValue.dictionary(document.body))"
            }
        }
    }
}
