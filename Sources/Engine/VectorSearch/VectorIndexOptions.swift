import Base

/// The configuration of a vector index, as it is stored (Vector search 3, FO-2).
package struct VectorIndexOptions: Hashable, Sendable {
    /// The number of components of each vector.
    package var dimensions: Int
    /// The number of buckets.
    package var centroids: Int
    /// How distances are computed. The default is ``VectorMetric/euclideanSquared``.
    package var metric: VectorMetric
    /// How vectors are stored once the index is trained. The default is 8 bits per component.
    package var encoding: StoredVectorEncoding
    /// The number of vectors from which the index is trained; 0 if the library decides.
    package var minimumTraining: Int
    /// The largest number of vectors that are used for training; 0 if the library decides.
    package var maximumTraining: Int
    /// The number of buckets that a query searches; 0 if the library decides.
    package var probes: Int
    /// Whether the app computes the vectors, at times of its choosing (Vector search 7).
    package var isLazy: Bool

    package init(
        dimensions: Int,
        centroids: Int,
        metric: VectorMetric = .euclideanSquared,
        encoding: StoredVectorEncoding = .scalar(bits: 8),
        minimumTraining: Int = 0,
        maximumTraining: Int = 0,
        probes: Int = 0,
        isLazy: Bool = false
    ) {
        self.dimensions = dimensions
        self.centroids = centroids
        self.metric = metric
        self.encoding = encoding
        self.minimumTraining = minimumTraining
        self.maximumTraining = maximumTraining
        self.probes = probes
        self.isLazy = isLazy
    }

    // MARK: Limits

    /// The permitted numbers of components (Vector search VC-1).
    package static let dimensionCounts = 2...4096
    /// The permitted numbers of buckets.
    package static let centroidCounts = 1...64000
    /// The permitted sizes for training, and numbers of buckets to search.
    package static let sizes = 0...Int(UInt32.max)

    /// What is wrong with the configuration; `nil` if nothing is (Vector search VC-1…4).
    package var problem: String? {
        guard Self.dimensionCounts.contains(dimensions) else {
            return "the number of dimensions must be from 2 to 4096, but is \(dimensions)"
        }
        guard Self.centroidCounts.contains(centroids) else {
            return "the number of centroids must be from 1 to 64000, but is \(centroids)"
        }
        switch encoding {
        case .none: break
        case .scalar(let bits):
            guard [4, 6, 8].contains(bits) else { return "a scalar quantizer has 4, 6 or 8 bits, not \(bits)" }
        case .product(let subquantizers, let bits):
            guard StoredVectorEncoding.subquantizerCounts.contains(subquantizers), dimensions % subquantizers == 0 else {
                return "the number of subquantizers must be from 2 to 1024 and a divisor of the \(dimensions) dimensions, but is "
                    + "\(subquantizers)"
            }
            guard StoredVectorEncoding.bitCounts.contains(bits) else {
                return "the number of bits of a product quantizer must be from 4 to 12, but is \(bits)"
            }
        }
        guard Self.sizes.contains(minimumTraining), Self.sizes.contains(maximumTraining), Self.sizes.contains(probes) else {
            return "training sizes and probes must be from 0 to \(UInt32.max)"
        }
        guard minimumTraining == 0 || maximumTraining == 0 || minimumTraining <= maximumTraining else {
            return "the minimum training size \(minimumTraining) is larger than the maximum \(maximumTraining)"
        }
        guard probes <= centroids else { return "the number of probes must be from 1 to the \(centroids) centroids, but is \(probes)" }
        return nil
    }

    // MARK: Training

    /// The number of centroids that have to be found (Vector search 5).
    var trainedCentroids: Int {
        if case .product(_, let bits) = encoding { return max(centroids, 1 << bits) }
        return centroids
    }

    /// The number of vectors from which the index is trained (Vector search VT-1).
    package var effectiveMinimum: Int { max(minimumTraining, 25 * trainedCentroids) }

    /// The largest number of vectors used for training (Vector search VT-2).
    package var effectiveMaximum: Int {
        let wanted = maximumTraining == 0 ? 100 * trainedCentroids : maximumTraining
        return min(max(wanted, 25 * trainedCentroids), 256 * trainedCentroids)
    }

    /// Returns about how many multiplications training takes.
    ///
    /// - Parameter vectorCount: The number of vectors in the index.
    package func trainingEffort(vectorCount: Int) -> Double {
        var centroids = Double(self.centroids)
        if case .product(_, let bits) = encoding { centroids += Double(1 << bits) }
        return 8 * centroids * Double(dimensions) * Double(min(vectorCount, effectiveMaximum))
    }

    /// Returns how many buckets a query searches (Vector search VT-10, D7).
    ///
    /// - Parameter requested: The number that the query gives; 0 if it gives none.
    package func effectiveProbes(requested: Int) -> Int {
        let wanted = requested > 0 ? requested : probes > 0 ? probes : max(8, (centroids + 63) / 64)
        return min(centroids, wanted)
    }
}

// MARK: - Text

extension VectorIndexOptions {
    /// The options as stored, for example `dimensions=300,clustering=flat8,encoding=SQ8`.
    package var text: String {
        var parts = ["dimensions=\(dimensions)"]
        if metric != .euclideanSquared { parts.append("metric=\(metric.name)") }
        parts += ["clustering=flat\(centroids)", "encoding=\(encoding.name)"]
        if minimumTraining > 0 { parts.append("minToTrain=\(minimumTraining)") }
        if maximumTraining > 0 { parts.append("maxToTrain=\(maximumTraining)") }
        if probes > 0 { parts.append("probes=\(probes)") }
        if isLazy { parts.append("lazyembedding=true") }
        return parts.joined(separator: ",")
    }

    /// Reads stored options, in any order. Returns `nil` if the text is not of this form, or the values are not permitted.
    package init?(text: String) {
        guard text.utf8.count <= 1000 else { return nil }
        self.init(dimensions: 0, centroids: 0)
        for part in text.splitExactly(at: ",") {
            guard let equal = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let (key, value) = (String(part[..<equal]), String(part[part.utf8.index(after: equal)...]))
            guard read(key, value) else { return nil }
        }
        guard problem == nil else { return nil }
    }

    private mutating func read(_ key: String, _ value: String) -> Bool {
        switch key {
        case "dimensions": return set(\.dimensions, value)
        case "clustering":
            if let multiple = value.rest(afterExactly: "multi") { return readMultiple(String(multiple)) }
            guard let number = value.rest(afterExactly: "flat") else { return false }
            return set(\.centroids, String(number))
        case "centroids": return set(\.centroids, value)
        case "minToTrain":
            if value.isExactly("never") { return set(\.minimumTraining, String(UInt32.max)) }
            return set(\.minimumTraining, value)
        case "maxToTrain": return set(\.maximumTraining, value)
        case "probes": return set(\.probes, value)
        case "metric":
            guard let metric = VectorMetric(name: value) else { return false }
            self.metric = metric
            return true
        case "encoding":
            guard let encoding = StoredVectorEncoding(name: value) else { return false }
            self.encoding = encoding
            return true
        case "lazyembedding":
            isLazy = value.isExactly("true")
            return true
        case "lazyindex": return true
        default: return false
        }
    }

    /// Reads the clustering that the Swift API does not have, as one of about as many buckets (Vector search FL-13).
    private mutating func readMultiple(_ text: String) -> Bool {
        let numbers = text.splitExactly(at: "x")
        guard numbers.count == 2, let codebooks = Int(numbers[0]), let bits = Int(numbers[1]), (1...1024).contains(codebooks),
            (1...12).contains(bits)
        else { return false }
        centroids = min(Self.centroidCounts.upperBound, codebooks * (1 << bits))
        return true
    }

    private mutating func set(_ path: WritableKeyPath<Self, Int>, _ text: String) -> Bool {
        guard let number = UInt32(text) else { return false }
        self[keyPath: path] = Int(number)
        return true
    }
}
