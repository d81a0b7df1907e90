import DocumentStore
import QueryEngine

/// A release that must be able to open a copy.
struct FileRelease {
    fileprivate let release: OlderRelease

    var name: String { release.rawValue }
    static var allNames: [String] { OlderRelease.allCases.map(\.rawValue) }

    /// - Returns: `nil` if there is no such release.
    init?(_ name: String) {
        guard let release = OlderRelease(rawValue: name) else { return nil }
        self.release = release
    }
}

/// A copy for an older release, which the public API cannot make.
struct DowngradedCopy {
    private let report: OlderRelease.Report

    var documents: Int { report.documents }
    var tombstones: Int { report.tombstones }
    /// The names of the indexes, which are not copied.
    var indexes: [String] { report.indexes }

    init(_ opening: Opening, to destination: String, _ release: FileRelease, progress: (Int) throws -> Void) throws {
        report = try release.release.copy(
            BundlePath(opening.path),
            to: BundlePath(destination),
            options: opening.readingOptions,
            indexNames: { try $0.indexNames() },
            progress: progress
        )
    }
}

extension DatabaseFile {
    /// Returns the names of all indexes.
    fileprivate func indexNames() throws -> [String] {
        let registry = IndexRegistry(self)
        return try collectionIDs().compactMap { try collection($0) }.flatMap { try registry.indexes(of: $0).map(\.name) }
    }
}

/// A copy with revision trees of a database with version vectors, which the public API cannot make.
struct CopyWithTrees {
    private let report: TreesCopy.Report

    var documents: Int { report.documents }
    var tombstones: Int { report.tombstones }
    /// The number of documents whose revisions are branches.
    var conflicts: Int { report.conflicts }
    /// The number of documents and tombstones whose revisions have new IDs.
    var renamed: Int { report.renamed }
    /// The names of the indexes, which are not copied.
    var indexes: [String] { report.indexes }
    /// The revisions that could not be copied, with their documents, and why.
    var losses: [(subject: String, message: String)] { report.losses.map { ($0.subject, $0.message) } }

    init(_ opening: Opening, to destination: String, progress: (Int) throws -> Void) throws {
        report = try TreesCopy.copy(
            BundlePath(opening.path),
            to: BundlePath(destination),
            options: opening.readingOptions,
            indexNames: { try $0.indexNames() },
            progress: progress
        )
    }
}

/// The result of salvaging a damaged database, which the public API cannot do.
struct SalvageOutcome {
    struct Loss {
        fileprivate let loss: SalvageReport.Loss

        var subject: String { loss.subject }
        var message: String { loss.message }
        var isNote: Bool { loss.isNote }
    }

    private let report: SalvageReport

    var losses: [Loss] { report.losses.map { Loss(loss: $0) } }
    /// The number of all losses, of which only the first are listed.
    var lossCount: Int { report.lossCount }
    var indexes: [String] { report.indexes }
    var foundOutsideTrees: Int { report.foundOutsideTrees }
    /// What was copied: the key in JSON, the noun, and the number.
    var counts: [(key: String, noun: String, count: Int)] {
        [
            ("documents", "document", report.contents.documents), ("tombstones", "tombstone", report.contents.tombstones),
            ("revisions", "revision", report.contents.revisions), ("collections", "collection", report.contents.collections),
            ("blobs", "blob", report.contents.blobs),
        ]
    }

    /// Copies what can be read of the database to a new one.
    init(_ opening: Opening, to destination: String, progress: (Int) throws -> Void) throws {
        report = try Salvage.copy(
            BundlePath(opening.path),
            to: BundlePath(destination),
            options: opening.readingOptions,
            progress: progress
        )
    }
}
