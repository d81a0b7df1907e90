import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// Recall and speed of a vector index, alone: to be run beside other libraries.
struct Vectors: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures recall and speed of a vector index.",
        discussion: """
            Prints a line for each number of probes: how many of the ten nearest vectors are found, and how long a query takes through SQL++. Times are \
            processor time, the least of the rounds. Run it on one processor to compare it with libraries that use one thread.
            """
    )

    @Option(help: "Read base.f32, queries.f32 and truth.i32 from this directory instead of generating vectors.")
    var read: String?
    @Option(help: "How many vectors are generated.")
    var count = 100_000
    @Option(help: "The number of components of generated vectors.")
    var dimensions = 128
    @Option(help: "How many targets are searched for.")
    var targets = 1000
    @Option(help: "The number of buckets; by default the square root of the number of vectors.")
    var centroids: Int?
    @Option(help: "none, sq8, sq6, sq4, or pqMxB with M parts of B bits.")
    var encoding = "sq8"
    @Option(help: "How many buckets are searched; 0 for the default. Can be repeated.")
    var probes: [Int] = []
    @Option(help: "How often all targets are searched for.")
    var rounds = 3
    @Flag(help: "Pass the targets as base64 instead of arrays of numbers.")
    var base64 = false
    @Flag(help: "Search without training too, which is exact.")
    var exact = false
    @Option(help: "Where the database is made, in a directory that is removed at the end.")
    var scratch = NSTemporaryDirectory()
    @Option(help: "Keep the database in this directory, and use what is there from an earlier run with the same options.")
    var keep: String?
    @Option(help: "Write the figures to this file, as JSON.")
    var save: String?

    private static let name = "vectors"

    func validate() throws {
        guard (1...10_000_000).contains(count), (2...4096).contains(dimensions), (1...100_000).contains(targets) else {
            throw ValidationError("--count, --dimensions or --targets is out of range.")
        }
        guard VectorEncoding(name: encoding) != nil else { throw ValidationError("There is no encoding '\(encoding)'.") }
    }

    func run() throws {
        let set =
            if let read {
                try VectorSet(directory: read, targets: targets)
            } else {
                VectorSet(count: count, dimensions: dimensions, targets: targets)
            }
        let directory = keep ?? scratch + "/cbl-bench-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { if keep == nil { try? FileManager.default.removeItem(atPath: directory) } }
        var figures: [VectorFigures] = []
        func report(_ found: VectorFigures) {
            figures.append(found)
            FileHandle.standardOutput.write(Data((found.line + "\n").utf8))
        }
        let benchmark = try VectorBenchmark(set, encoding: encoding, centroids: centroids, directory: directory, name: Self.name)
        if exact { try report(benchmark.exact(rounds: rounds, isBase64: base64)) }
        try benchmark.prepare()
        for number in probes.isEmpty ? [4, 8, 16, 32, 0] : probes {
            try report(benchmark.search(probes: number, rounds: rounds, isBase64: base64))
        }
        for share in [1, 10, 50] { try report(benchmark.hybrid(percent: share, rounds: rounds, isBase64: base64)) }
        if let save {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try (encoder.encode(figures) + Data("\n".utf8)).write(to: URL(fileURLWithPath: save))
        }
    }
}

/// A line of the table.
struct VectorFigures: Codable {
    var name: String
    /// The seconds of processor time for training and filling; 0 if the index was there.
    var build_s: Double
    var recall: Double
    /// The processor time of a query in milliseconds: of all queries of the best round, divided by their number.
    var ms: Double
    /// The time that half of the queries do not exceed, and that 19 of 20 do not exceed, in milliseconds.
    var p50_ms: Double
    var p95_ms: Double
    /// By how much the index has made the database larger, relative to the encoded vectors.
    var size_ratio: Double?

    var line: String {
        let size = size_ratio.map { String(format: "  size %.2f", $0) } ?? ""
        let times = String(format: "build %6.1f s  recall %.4f  %8.3f ms  p50 %.3f  p95 %.3f", build_s, recall, ms, p50_ms, p95_ms)
        return name.padding(toLength: 32, withPad: " ", startingAt: 0) + " " + times + size
    }
}
