import Foundation

/// The table for people, a row at a time, and the file for programs.
struct Report {
    private(set) var rows: [(name: String, figures: Figures)] = []
    private var measured: [Comparison] = []
    /// The figures of the run to compare with, by workload; empty if there is none.
    let earlier: [String: Figures]
    let countsInstructions: Bool

    init(earlier: [String: Figures] = [:], countsInstructions: Bool = false) {
        self.earlier = earlier
        self.countsInstructions = countsInstructions
    }

    var header: String {
        let cells = ["workload", "seconds", "min", "floor", "speed", "best", "C++", "ahead", "peak MB", "disk MB", "MB/s"]
        return Self.row(cells + (countsInstructions ? ["M instr"] : []) + (earlier.isEmpty ? [] : ["change"]))
    }

    /// What the columns mean.
    static let legend = """
        seconds, floor: medians. speed: floor / seconds, so 1.00 is as fast as raw SQLite, or for models as by hand, for _enc as without encryption, or for live_ as without live queries;
        best: the same of the shortest runs. C++: the speed of \(Reference.source), beside its floor. ahead: speed / C++. disk: the files after the run.
        M instr: millions of instructions of the measured part with \(Instructions.documents) documents.
        change: this run compared with the saved one, above 1 is better: by instructions if both have them, otherwise by speed.
        """

    /// Takes the result in, and gives its row of the table.
    ///
    /// - Parameter instructions: The instructions of the library; `nil` if they were not counted.
    mutating func add(_ name: String, _ result: ComparisonResult, instructions: Int? = nil) -> String {
        switch result {
        case .measured(let comparison):
            measured.append(comparison)
            let figures = Figures(
                seconds: comparison.seconds,
                floor_seconds: comparison.floorSeconds,
                speed: comparison.speed,
                ahead: comparison.speed.flatMap { speed in Reference.speeds[name].map { speed / $0 } },
                peak_rss_mb: comparison.peakMegabytes,
                disk_mb: comparison.diskMegabytes,
                mb_per_s: comparison.throughput,
                instructions: instructions
            )
            rows.append((name, figures))
            var cells = [
                name,
                Self.number(comparison.seconds, 4),
                Self.number(comparison.leastSeconds, 4),
                Self.number(comparison.floorSeconds, 4),
                Self.number(comparison.speed, 2),
                Self.number(comparison.bestSpeed, 2),
                Self.number(Reference.speeds[name], 2),
                Self.number(figures.ahead, 2),
                Self.number(comparison.peakMegabytes, 1),
                Self.number(comparison.diskMegabytes, 1),
                Self.number(comparison.throughput, 0),
            ]
            if countsInstructions { cells.append(Self.number(instructions.map { Double($0) / 1e6 }, 1)) }
            if !earlier.isEmpty { cells.append(Self.number(earlier[name].flatMap { figures.improvement(over: $0) }, 2)) }
            return Self.row(cells)
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

    /// The measured workloads, for a file.
    func saved(documents: Int) -> SavedRun {
        SavedRun(documents: documents, workloads: Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.figures) }))
    }

    private static func row(_ cells: [String]) -> String {
        let numbers = cells.dropFirst().map { String(repeating: " ", count: max(0, 9 - $0.count)) + $0 }
        return padded(cells[0]) + numbers.joined()
    }

    private static func padded(_ name: String) -> String {
        name.padding(toLength: 18, withPad: " ", startingAt: 0)
    }

    static func number(_ value: Double?, _ digits: Int) -> String {
        value.map { String(format: "%.\(digits)f", $0) } ?? "–"
    }
}
