import Foundation

/// The table for people, a row at a time, and the file for programs.
struct Report {
    private var measured: [Comparison] = []

    static let header = row(["workload", "seconds", "min", "floor", "speed", "best", "C++", "peak MB", "MB/s"])

    /// What the columns mean.
    static let legend = """
        seconds, floor: medians. speed: floor / seconds, so 1.00 is as fast as raw SQLite, or for models as by hand, for _enc as without encryption, or for live_ as without live queries;
        best: the same of the shortest runs. C++: the speed of \(Reference.source), beside its floor.
        """

    /// Takes the result in, and gives its row of the table.
    mutating func add(_ name: String, _ result: ComparisonResult) -> String {
        switch result {
        case .measured(let comparison):
            measured.append(comparison)
            return Self.row([
                name,
                Self.number(comparison.seconds, 4),
                Self.number(comparison.leastSeconds, 4),
                Self.number(comparison.floorSeconds, 4),
                Self.number(comparison.speed, 2),
                Self.number(comparison.bestSpeed, 2),
                Self.number(Reference.speeds[name], 2),
                Self.number(comparison.peakMegabytes, 1),
                Self.number(comparison.throughput, 0),
            ])
        case .notSupported(let reason):
            return Self.padded(name) + "  not supported yet: \(reason)"
        case .failed(let reason):
            return Self.padded(name) + "  failed: \(reason)"
        }
    }

    /// The statements beside the batches of single calls that do the same.
    private static let pairs = [("statement_update", "update_batch"), ("statement_delete", "delete_batch")]

    /// The seconds of statements relative to those of batches; `nil` if no pair was measured.
    func ratios() -> String? {
        let lines = Self.pairs.compactMap { statement, batch -> String? in
            guard let ours = measured.first(where: { $0.name == statement }), let other = measured.first(where: { $0.name == batch })
            else { return nil }
            let best = Self.number(ours.leastSeconds / other.leastSeconds, 2)
            return "\(statement) / \(batch): \(Self.number(ours.seconds / other.seconds, 2)) of the seconds, shortest runs \(best)"
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// The measured workloads as JSON. A workload without a floor has no `floor_seconds` and no `speed`.
    func json() throws -> Data {
        struct Entry: Encodable {
            var seconds: Double
            var floor_seconds: Double?
            var speed: Double?
            var peak_rss_mb: Double
            var mb_per_s: Double?
        }
        let entries = measured.map { comparison in
            let entry = Entry(
                seconds: comparison.seconds,
                floor_seconds: comparison.floorSeconds,
                speed: comparison.speed,
                peak_rss_mb: comparison.peakMegabytes,
                mb_per_s: comparison.throughput
            )
            return (comparison.name, entry)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(["workloads": Dictionary(uniqueKeysWithValues: entries)]) + Data("\n".utf8)
    }

    private static func row(_ cells: [String]) -> String {
        let numbers = cells.dropFirst().map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }
        return padded(cells[0]) + numbers.joined()
    }

    private static func padded(_ name: String) -> String {
        name.padding(toLength: 18, withPad: " ", startingAt: 0)
    }

    private static func number(_ value: Double?, _ digits: Int) -> String {
        value.map { String(format: "%.\(digits)f", $0) } ?? "–"
    }
}
