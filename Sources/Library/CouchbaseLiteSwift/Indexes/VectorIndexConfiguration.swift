import DatabaseRuntime
import QueryEngine
import VectorSearch

/// How many bits a scalar quantizer stores for each component of a vector.
public enum ScalarQuantizerType: UInt32, Sendable {
    /// 4 bits: the smallest, and the least exact distances.
    case SQ4 = 4
    /// 6 bits.
    case SQ6 = 6
    /// 8 bits: hardly less exact than all.
    case SQ8 = 8
}

/// How far two vectors are apart. Smaller is nearer in all of them.
public enum DistanceMetric: UInt32, Sendable {
    /// The sum of the squares of the differences. The default.
    case euclideanSquared = 1
    /// 1 minus the cosine of the angle: from 0, for the same direction, to 2.
    case cosine
    /// The square root of ``euclideanSquared``.
    case euclidean
    /// The negative dot product.
    case dot
}

/// How the vectors of a trained index are stored. An index that is not trained stores them as they are.
public enum VectorEncoding: Equatable, Sendable {
    /// 32 bits for each component.
    case none
    /// A few bits for each component.
    case scalarQuantizer(type: ScalarQuantizerType)
    /// Each vector is divided into `subquantizers` parts, from 2 to 1024 and a divisor of the dimensions, of which each is stored with `bits` bits,
    /// from 4 to 12.
    case productQuantizer(subquantizers: UInt32, bits: UInt32)
}

/// An index of vectors, with which queries find the documents nearest to a vector by `APPROX_VECTOR_DISTANCE`; see <doc:VectorSearch>.
///
/// ```swift
/// let config = VectorIndexConfiguration(expression: "vector", dimensions: 300, centroids: 100)
/// try collection.createIndex(withName: "vectors", config: config)
/// ```
public struct VectorIndexConfiguration: IndexConfiguration, DefinesIndex, Sendable, Equatable {
    /// The SQL++ expression for the vector: an array of numbers, or base64 or a blob of 32-bit floats. For a lazy index, the value from which the app
    /// computes the vector.
    public let expression: String
    /// The number of components of each vector, from 2 to 4096. Documents with other vectors are not in the index.
    public let dimensions: UInt32
    /// The number of buckets into which vectors are divided, from 1 to 64000; about the square root of the number of documents.
    public let centroids: UInt32
    /// How vectors are stored. The default is 8 bits for each component.
    public var encoding: VectorEncoding = .scalarQuantizer(type: defaultEncoding)
    /// How distances are computed. The default is ``DistanceMetric/euclideanSquared``.
    public var metric = defaultDistanceMetric
    /// The number of vectors from which the index is trained. The default, 0, means 25 for each centroid, which is also the minimum.
    public var minTrainingSize = defaultMinTrainingSize
    /// The maximum number of vectors used for training. The default, 0, means 100 for each centroid.
    public var maxTrainingSize = defaultMaxTrainingSize
    /// The number of buckets that a query without conditions searches, up to ``centroids``. The default, 0, means 8, or a 64th of the buckets
    /// if that is more.
    public var numProbes = defaultNumProbes
    /// Whether the app computes the vectors, with ``QueryIndex/beginUpdate(limit:)``. The default is `false`.
    public var isLazy = defaultIsLazy

    /// The default number of bits of each component.
    public static let defaultEncoding = ScalarQuantizerType.SQ8
    /// The default of ``metric``.
    public static let defaultDistanceMetric = DistanceMetric.euclideanSquared
    /// The default of ``minTrainingSize``.
    public static let defaultMinTrainingSize: UInt32 = 0
    /// The default of ``maxTrainingSize``.
    public static let defaultMaxTrainingSize: UInt32 = 0
    /// The default of ``numProbes``.
    public static let defaultNumProbes: UInt32 = 0
    /// The default of ``isLazy``.
    public static let defaultIsLazy = false

    /// Creates the configuration of a vector index.
    ///
    /// - Parameters:
    ///   - expression: The SQL++ expression for the vector; see ``expression``.
    ///   - dimensions: The number of components of each vector; one outside of 2 to 4096 is a programming error and ends the process, see
    ///     ``init(validating:dimensions:centroids:)``.
    ///   - centroids: The number of buckets; one outside of 1 to 64000 is a programming error too.
    public init(expression: String, dimensions: UInt32, centroids: UInt32) {
        _CBLMisuse.trap { () throws(Misuse) in try Self.check(dimensions: dimensions, centroids: centroids) }
        (self.expression, self.dimensions, self.centroids) = (expression, dimensions, centroids)
    }

    /// Creates the configuration of a vector index from numbers that may be out of range; see ``init(expression:dimensions:centroids:)``.
    ///
    /// - Throws: ``CBLError/invalidParameter`` if a number is out of range.
    public init(validating expression: String, dimensions: UInt32, centroids: UInt32) throws {
        try throwingPublicErrors { try Self.check(dimensions: dimensions, centroids: centroids) }
        (self.expression, self.dimensions, self.centroids) = (expression, dimensions, centroids)
    }

    private static func check(dimensions: UInt32, centroids: UInt32) throws(Misuse) {
        if let problem = VectorIndexOptions(dimensions: Int(dimensions), centroids: Int(centroids)).problem {
            throw .invalidArgument(problem)
        }
    }

    /// What is wrong with the configuration, so that creating the index would end the process; `nil` if nothing is.
    package var problem: String? { options.problem }

    private var options: VectorIndexOptions {
        VectorIndexOptions(
            dimensions: Int(dimensions),
            centroids: Int(centroids),
            metric: VectorMetric(rawValue: UInt8(truncatingIfNeeded: metric.rawValue)) ?? .euclideanSquared,
            encoding: encoding.stored,
            minimumTraining: Int(minTrainingSize),
            maximumTraining: Int(maxTrainingSize),
            probes: Int(numProbes),
            isLazy: isLazy
        )
    }

    /// Ends the process if the configuration makes no sense.
    func checkSense() {
        if let problem { _CBLMisuse.invalidArgument(problem) }
    }

    func definition(named name: String) -> IndexDefinition {
        IndexDefinition(name: name, kind: .vector(options), text: expression)
    }
}

extension VectorEncoding {
    fileprivate var stored: StoredVectorEncoding {
        switch self {
        case .none: .none
        case .scalarQuantizer(let type): .scalar(bits: Int(type.rawValue))
        case .productQuantizer(let subquantizers, let bits): .product(subquantizers: Int(subquantizers), bits: Int(bits))
        }
    }
}

/// Parts of Couchbase Lite that are installed apart from the original library.
public class Extension {
    private init() {}

    /// Enables vector search. It is built in, so the function does nothing; apps that were written for the original call it.
    public static func enableVectorSearch() throws {}
}
