import CouchbaseLiteSwift
import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Searches with one vector index, and what they find.
final class VectorBenchmark {
    private let set: VectorSet
    private let encodingName: String
    private let encoding: VectorEncoding
    private let centroids: Int
    private let directory: String
    private let name: String
    private var buildSeconds = 0.0
    private var sizeRatio: Double?

    init(_ set: VectorSet, encoding: String, centroids: Int?, directory: String, name: String) throws {
        guard let known = VectorEncoding(name: encoding) else { throw WorkloadError.wrongResult("there is no encoding \(encoding)") }
        (self.set, encodingName, self.encoding, self.directory, self.name) = (set, encoding, known, directory, name)
        self.centroids = centroids ?? min(64_000, max(1, Int(Double(set.count).squareRoot())))
    }

    private var configuration: DatabaseConfiguration {
        let configuration = DatabaseConfiguration()
        configuration.directory = directory
        return configuration
    }

    private func open() throws -> VectorDatabase { try VectorDatabase(existing: Database(name: name, config: configuration)) }

    /// The size of the closed database in bytes.
    private var size: Int {
        let file = "\(directory)/\(name).cblite2/db.sqlite3"
        return (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
    }

    /// Stores the documents, unless they are there.
    private func storeDocuments() throws {
        guard !Database.exists(withName: name, inDirectory: directory) else { return }
        let made = try VectorDatabase(Database(name: name, config: configuration), set)
        try made.database.close()
    }

    /// Creates the trained index, unless it is there.
    func prepare() throws {
        try storeDocuments()
        let before = size
        var made = try open()
        guard try made.collection.index(withName: VectorDatabase.indexName) == nil else { return try made.database.close() }
        let start = processorSeconds()
        try made.createIndex(dimensions: set.dimensions, centroids: centroids, encoding: encoding)
        buildSeconds = processorSeconds() - start
        try made.database.close()
        made = try open()
        guard try made.collection.index(withName: VectorDatabase.indexName)?.isTrained == true else {
            throw WorkloadError.wrongResult("\(set.count) vectors are too few to train \(centroids) buckets")
        }
        try made.database.close()
        sizeRatio = Double(size - before) / Double(set.count * encoding.size(dimensions: set.dimensions))
    }

    /// Searches an index that is not trained.
    func exact(rounds: Int, isBase64: Bool) throws -> VectorFigures {
        try storeDocuments()
        let opened = try open()
        defer { try? opened.database.close() }
        let start = processorSeconds()
        try opened.createIndex(dimensions: set.dimensions, centroids: centroids, encoding: encoding, training: 1 << 31)
        buildSeconds = processorSeconds() - start
        let found = try measure("exact", opened, try opened.query(), rounds: rounds, isBase64: isBase64, bounds: set.bounds)
        try opened.collection.deleteIndex(forName: VectorDatabase.indexName)
        return found
    }

    func search(probes: Int, rounds: Int, isBase64: Bool) throws -> VectorFigures {
        let opened = try open()
        defer { try? opened.database.close() }
        let query = try opened.query(probes: probes > 0 ? probes : nil)
        let title = "IVF\(centroids),\(encodingName.uppercased()) " + (probes > 0 ? "probes \(probes)" : "default probes")
        return try measure(title, opened, query, rounds: rounds, isBase64: isBase64, bounds: set.bounds)
    }

    /// Searches among a part of the documents.
    func hybrid(percent: Int, rounds: Int, isBase64: Bool) throws -> VectorFigures {
        let opened = try open()
        defer { try? opened.database.close() }
        let query = try opened.query(where: "part < \(percent)")
        let bounds = set.bounds { $0 % 100 < percent }
        return try measure("where \(percent) %", opened, query, rounds: rounds, isBase64: isBase64, bounds: bounds)
    }

    private func measure(
        _ title: String,
        _ opened: VectorDatabase,
        _ query: Query,
        rounds: Int,
        isBase64: Bool,
        bounds: [Float]
    ) throws -> VectorFigures {
        let targets = (0..<set.targetCount).map { VectorDatabase.Target(set.target($0), isBase64: isBase64) }
        var found: [[Int]] = []
        var times: [Double] = []
        var least = Double.infinity
        // The first one reads the pages and the model.
        _ = try opened.nearest(query, targets[0])
        for _ in 0..<max(1, rounds) {
            found.removeAll()
            var roundTimes: [Double] = []
            let start = processorSeconds()
            for target in targets {
                let clock = ContinuousClock()
                let begin = clock.now
                found.append(try opened.nearest(query, target))
                roundTimes.append((clock.now - begin) / .milliseconds(1))
            }
            let seconds = processorSeconds() - start
            if seconds < least { (least, times) = (seconds, roundTimes.sorted()) }
        }
        return VectorFigures(
            name: title,
            build_s: buildSeconds,
            recall: set.recall(found, bounds),
            ms: least * 1000 / Double(targets.count),
            p50_ms: times[times.count / 2],
            p95_ms: times[times.count * 19 / 20],
            size_ratio: title.hasPrefix("IVF") ? sizeRatio : nil
        )
    }
}

/// The processor time of all threads of this process so far.
func processorSeconds() -> Double {
    // POSIX defines the unit.
    Double(clock()) / 1_000_000
}
