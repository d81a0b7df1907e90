/// One thing to measure, by its name in the list of workloads.
struct Workload: Sendable {
    /// What a measured run gives.
    struct Outcome {
        /// The wall time of the compared part.
        var seconds: Double
        /// How much was converted, for the workloads whose measure is throughput.
        var megabytes: Double?
    }

    let name: String
    /// Whether the workload starts from the database with all documents.
    let needsDocuments: Bool
    /// Runs it through the public API of the library.
    let ours: @Sendable (Stage) throws -> Outcome
    /// Runs the same with SQLite alone and gives the seconds; nil where there is nothing to compare with.
    let floor: (@Sendable (FloorStage) throws -> Double)?

    init(
        _ name: String,
        needsDocuments: Bool = true,
        ours: @escaping @Sendable (Stage) throws -> Outcome,
        floor: (@Sendable (FloorStage) throws -> Double)? = nil
    ) {
        self.name = name
        self.needsDocuments = needsDocuments
        self.ours = ours
        self.floor = floor
    }

    /// All workloads, in the order they run and are listed.
    static let all =
        records + statements + encryption + versionVectors + live + models + queries + indexes + texts + vectors + blobs + conversions
        + replication

    static func named(_ name: String) -> Workload? {
        all.first { $0.name == name }
    }
}

/// What keeps a workload from giving a figure.
enum WorkloadError: Error, CustomStringConvertible {
    /// The library cannot do this yet.
    case notSupported(String)
    /// The work was done, but its result is not the expected one: a figure would mean nothing.
    case wrongResult(String)

    var description: String {
        switch self {
        case .notSupported(let reason): "not supported yet: \(reason)"
        case .wrongResult(let what): "wrong result: \(what)"
        }
    }
}

/// Ends the workload unless the result is what it must be.
func expect<T: Equatable>(_ value: T, toBe expected: T, _ what: String) throws {
    if value != expected { throw WorkloadError.wrongResult("\(what): \(value), not \(expected)") }
}
