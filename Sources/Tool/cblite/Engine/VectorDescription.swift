import VectorSearch

/// The configuration of a vector index, by the names of the options that create it.
struct VectorDescription {
    let dimensions: Int
    let centroids: Int
    let encoding: String
    let metric: String
    let probes: Int?
    let minimumTraining: Int?
    let maximumTraining: Int?
    let isLazy: Bool

    init(_ options: VectorIndexOptions) {
        dimensions = options.dimensions
        centroids = options.centroids
        encoding = options.encoding.name.lowercased()
        metric = options.metric == .euclideanSquared ? "euclidean-squared" : options.metric.name
        probes = options.probes > 0 ? options.probes : nil
        minimumTraining = options.minimumTraining > 0 ? options.minimumTraining : nil
        maximumTraining = options.maximumTraining > 0 ? options.maximumTraining : nil
        isLazy = options.isLazy
    }
}

extension IndexDescription {
    /// The configuration and the state of a vector index in words; `nil` for other kinds.
    var vectorDetails: String? {
        guard let configuration = vectorConfiguration else { return nil }
        var parts = [
            "\(configuration.dimensions) dimensions", "\(configuration.centroids) centroids", configuration.encoding, configuration.metric,
        ]
        if let probes = configuration.probes { parts.append("\(probes) probes") }
        if let minimum = configuration.minimumTraining { parts.append("at least \(minimum) to train") }
        if let maximum = configuration.maximumTraining { parts.append("at most \(maximum) to train") }
        if configuration.isLazy { parts.append("lazy") }
        if let vectors { parts += ["\(vectors.count) vectors", vectors.isTrained ? "trained" : "not trained"] }
        return parts.joined(separator: ", ")
    }
}
