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
            indexNames: { file in
                let registry = IndexRegistry(file)
                return try file.collectionIDs().compactMap { try file.collection($0) }.flatMap { try registry.indexes(of: $0).map(\.name) }
            },
            progress: progress
        )
    }
}
