import Foundation

/// The figures of one workload, as they are saved.
struct Figures: Codable {
    var seconds: Double
    /// The floor's seconds; `nil` if there is no floor.
    var floor_seconds: Double?
    /// The floor's seconds divided by ours.
    var speed: Double?
    /// Our speed divided by that of the original; `nil` if the original was not measured beside the floor.
    var ahead: Double?
    var peak_rss_mb: Double
    var disk_mb: Double?
    var mb_per_s: Double?
    /// The instructions of the measured part with ``Instructions/documents`` documents; `nil` if they were not counted.
    var instructions: Int?

    /// What a change is judged by: the instructions if both runs have counted them, otherwise the speed relative to the floor, otherwise the
    /// time. Above 1 this run is better.
    func improvement(over earlier: Figures) -> Double? {
        if let instructions, let before = earlier.instructions, instructions > 0 { return Double(before) / Double(instructions) }
        if let speed, let before = earlier.speed, before > 0 { return speed / before }
        return seconds > 0 ? earlier.seconds / seconds : nil
    }
}

/// A file with the figures of a run.
struct SavedRun: Codable {
    var documents: Int?
    var workloads: [String: Figures]

    static func read(_ path: String) throws -> SavedRun {
        try JSONDecoder().decode(SavedRun.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func write(_ path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    }
}
