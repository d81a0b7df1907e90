/// What a check has found and counted so far.
package struct CheckResult: Sendable, Equatable {
    /// The findings in the order in which they were found; of very many, only the first.
    package private(set) var findings: [Finding] = []
    /// The number of all errors, including those that are not kept.
    package private(set) var errorCount = 0
    /// The number of all warnings, including those that are not kept.
    package private(set) var warningCount = 0

    /// The number of documents that were read, without tombstones.
    package internal(set) var documents = 0
    /// The number of tombstones that were read.
    package internal(set) var tombstones = 0
    /// The number of revisions in the trees of documents and tombstones.
    package internal(set) var revisions = 0
    /// The number of revisions whose ID is not the digest of their body. This is not an error: servers generate other IDs.
    package internal(set) var foreignRevisionIDs = 0
    /// The number of collections, the default collection included.
    package internal(set) var collections = 0
    /// The number of files of blobs.
    package internal(set) var blobs = 0
    /// The number of blobs to which no document refers, which a compaction removes. Zero if the documents could not be read completely.
    package internal(set) var unusedBlobs = 0
    /// The number of shared keys.
    package internal(set) var sharedKeys = 0
    /// Whether pages of the file are damaged, so that SQLite cannot read everything.
    package internal(set) var hasDamagedPages = false

    static let maximumFindings = 10_000

    mutating func add(_ finding: Finding) {
        if finding.severity == .error { errorCount += 1 } else { warningCount += 1 }
        if findings.count < Self.maximumFindings { findings.append(finding) }
    }

    mutating func error(_ kind: Finding.Kind, _ subject: String, _ message: String) {
        add(Finding(severity: .error, kind: kind, subject: subject, message: message))
    }

    mutating func warning(_ kind: Finding.Kind, _ subject: String, _ message: String) {
        add(Finding(severity: .warning, kind: kind, subject: subject, message: message))
    }
}

/// The progress of a check.
package enum CheckProgress: Sendable {
    /// SQLite checks the pages of the file: about how many it has checked, and of how many. While it checks how the pages are linked, which
    /// is done first, the number is 0.
    case pages(Int, of: Int)
    /// The number of documents and tombstones that were checked, and of all as far as it is known.
    case documents(Int, of: Int)
    /// The number of blobs that were checked, and of all.
    case blobs(Int, of: Int)
}
