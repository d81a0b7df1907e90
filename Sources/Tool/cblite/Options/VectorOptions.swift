import ArgumentParser
import CouchbaseLiteSwift

/// The options of `cblite index create` for a vector index.
struct VectorOptions: ParsableArguments {
    /// The names of the metrics.
    enum Metric: String, ExpressibleByArgument, CaseIterable {
        case euclideanSquared = "euclidean-squared"
        case euclidean
        case cosine
        case dot

        var value: DistanceMetric {
            switch self {
            case .euclideanSquared: .euclideanSquared
            case .euclidean: .euclidean
            case .cosine: .cosine
            case .dot: .dot
            }
        }
    }

    @Flag(name: .customLong("vector"), help: "Create a vector index.") var isVector = false
    @Option(help: "The number of components of each vector, from 2 to 4096.") var dimensions: UInt32?
    @Option(
        help: ArgumentHelp("The number of buckets, 1 to 64000; about the square root of the number of documents.", valueName: "number")
    )
    var centroids: UInt32?
    @Option(help: "How vectors are stored: none, sq4, sq6, sq8 or pqMxB, for example pq32x8. The default is sq8.") var encoding: String?
    @Option(help: "How distances are computed; euclidean-squared by default.") var metric: Metric?
    @Option(help: "The number of buckets that a query searches. The library decides by default.") var probes: UInt32?
    @Option(name: .customLong("min-training"), help: "The number of vectors from which the index is trained.") var minimumTraining: UInt32?
    @Option(name: .customLong("max-training"), help: "The largest number of vectors used for training.") var maximumTraining: UInt32?
    @Flag(name: .customLong("lazy"), help: "The vectors are computed by an app.") var isLazy = false

    /// Checks the options, and that they fit the others of the command.
    func check(expressions: [String], hasOtherKind: Bool, hasCondition: Bool) throws {
        guard isVector else {
            let hasAny =
                dimensions != nil || centroids != nil || encoding != nil || metric != nil || probes != nil || minimumTraining != nil
                || maximumTraining != nil || isLazy
            guard !hasAny else { throw ValidationError("The options of vector indexes are for a --vector index.") }
            return
        }
        guard !hasOtherKind else { throw ValidationError("Give --vector, --array or --full-text, not more than one.") }
        guard !hasCondition else { throw ValidationError("A vector index cannot have a condition: give --where or --vector, not both.") }
        guard expressions.count == 1 else { throw ValidationError("A vector index has exactly one expression.") }
        guard dimensions != nil, centroids != nil else { throw ValidationError("A vector index needs --dimensions and --centroids.") }
        if let encoding, VectorEncoding(option: encoding) == nil {
            throw ValidationError("--encoding must be none, sq4, sq6, sq8 or pqMxB, for example pq32x8, not \(encoding).")
        }
        guard let configuration = self.configuration(of: expressions[0]) else {
            throw ValidationError("--dimensions must be from 2 to 4096, and --centroids from 1 to 64000.")
        }
        if let problem = configuration.problem { throw ValidationError("A vector index cannot be made like that: \(problem).") }
    }

    /// Returns the configuration of a vector index; `nil` if the options are not those of one.
    func configuration(of expression: String) -> VectorIndexConfiguration? {
        guard isVector, let dimensions, let centroids,
            var configuration = try? VectorIndexConfiguration(validating: expression, dimensions: dimensions, centroids: centroids)
        else { return nil }
        if let encoding = encoding.flatMap({ VectorEncoding(option: $0) }) { configuration.encoding = encoding }
        if let metric { configuration.metric = metric.value }
        configuration.numProbes = probes ?? 0
        configuration.minTrainingSize = minimumTraining ?? 0
        configuration.maxTrainingSize = maximumTraining ?? 0
        configuration.isLazy = isLazy
        return configuration
    }
}

extension VectorEncoding {
    /// Creates the encoding from the text of an option; `nil` if there is none.
    fileprivate init?(option: String) {
        switch option.lowercased() {
        case "none": self = .none
        case "sq4": self = .scalarQuantizer(type: .SQ4)
        case "sq6": self = .scalarQuantizer(type: .SQ6)
        case "sq8": self = .scalarQuantizer(type: .SQ8)
        case let text:
            guard let numbers = text.wholeMatch(of: /pq([0-9]+)x([0-9]+)/), let subquantizers = UInt32(numbers.1),
                let bits = UInt32(numbers.2)
            else { return nil }
            self = .productQuantizer(subquantizers: subquantizers, bits: bits)
        }
    }
}
