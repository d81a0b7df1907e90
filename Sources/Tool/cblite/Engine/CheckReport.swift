import DocumentStore

/// The result of a check of the file. The public integrity check reports only the first finding.
struct CheckReport {
    struct Finding {
        fileprivate let finding: DocumentStore.Finding

        var isError: Bool { finding.severity == .error }
        var severity: String { finding.severity.rawValue }
        var kind: String { finding.kind.rawValue }
        var subject: String { finding.subject }
        var message: String { finding.message }
        var description: String { finding.description }
    }

    /// The progress of a check, for a progress bar.
    enum Progress {
        case pages(Int, of: Int)
        case documents(Int, of: Int)
        case blobs(Int, of: Int)
    }

    private let result: CheckResult

    /// What was found; of very many, only the first findings.
    var findings: [Finding] { result.findings.map { Finding(finding: $0) } }
    var errors: Int { result.errorCount }
    var warnings: Int { result.warningCount }
    /// The numbers of checked objects: the key in JSON, the noun, and the number.
    var counts: [(key: String, noun: String, count: Int)] {
        [
            ("documents", "document", result.documents), ("tombstones", "tombstone", result.tombstones),
            ("revisions", "revision", result.revisions), ("collections", "collection", result.collections),
            ("blobs", "blob", result.blobs), ("sharedKeys", "shared key", result.sharedKeys),
        ]
    }
    /// The number of revisions whose ID is not the digest of their body.
    var foreignRevisionIDs: Int { result.foreignRevisionIDs }
    /// The number of blobs to which no document refers.
    var unusedBlobs: Int { result.unusedBlobs }

    fileprivate init(_ result: CheckResult) { self.result = result }

    /// Checks a database, also one that is too damaged to be opened.
    init(_ opening: Opening, progress: @escaping (Progress) throws -> Void) throws {
        result = try BundleChecker.check(opening.path, options: opening.readingOptions) { try progress(Progress($0)) }
    }
}

extension CheckReport.Progress {
    fileprivate init(_ progress: CheckProgress) {
        switch progress {
        case .pages(let done, let total): self = .pages(done, of: total)
        case .documents(let done, let total): self = .documents(done, of: total)
        case .blobs(let done, let total): self = .blobs(done, of: total)
        }
    }
}

/// The result of a repair.
struct RepairReport {
    let before: CheckReport
    let after: CheckReport
    /// What was done.
    let changes: [String]

    /// Checks a database, repairs what can be rebuilt, and checks it again.
    init(_ opening: Opening, progress: @escaping (CheckReport.Progress) throws -> Void) throws {
        let outcome: Repair.Result
        do {
            outcome = try Repair.run(opening.path, options: opening.writingOptions) { try progress(CheckReport.Progress($0)) }
        } catch let error as Repair.Impossible {
            let losses = error.report.losses.filter { !$0.isNote }.prefix(3).map { "\($0.subject): \($0.message)" }
            throw Failure(
                .badData,
                "the database cannot be repaired without losing data; nothing was changed: \(losses.joined(separator: "; "))",
                hint: "Copy everything that can be read with: cblite salvage DATABASE NEW"
            )
        }
        before = CheckReport(outcome.before)
        after = CheckReport(outcome.after)
        changes = outcome.changes
    }
}
