import CouchbaseLiteSwift
import DocumentStore
import Foundation

/// Copies of databases with version vectors, with the checks for which an app has no time.
enum CopyWithVersions {
    /// Copies a database, and gives the copy version vectors. After an error there is no copy.
    ///
    /// - Parameters:
    ///   - ignoringRemotes: Whether it is copied although remote databases serve revision trees only.
    ///   - progress: Called during the checks of the database and of the copy; an error that it throws ends the copying.
    /// - Throws: ``Failure`` if there are such remotes, or if a check finds an error; the errors of reading and writing.
    static func make(
        _ opening: Opening,
        to destination: String,
        ignoringRemotes: Bool,
        progress: @escaping (CheckReport.Progress) throws -> Void
    ) throws {
        do {
            if !ignoringRemotes { try checkRemotes(opening) }
            try checkContent(opening, "the database at \(opening.path) is damaged", progress)
        } catch StoreError.tooOld {
            // A database of 1.x can only be read after its copy was upgraded, and has no record of remotes.
        }
        try opening.copy(to: destination)
        do {
            let copy = Opening(path: destination, busyTimeout: opening.busyTimeout, key: opening.key)
            try copy.using(.writing) { try $0.upgradeToVersionVectors(ignoringRemotes: ignoringRemotes) }
            try checkContent(copy, "the copy of the database at \(opening.path) would be damaged", progress)
        } catch {
            // The copy is not what was requested.
            try? FileManager.default.removeItem(atPath: destination)
            throw error
        }
    }

    private static func checkRemotes(_ opening: Opening) throws {
        let remotes = try opening.withFile { try $0.remotesWithTrees() }
        guard !remotes.isEmpty else { return }
        throw Failure(
            .unsupportedVersion,
            "the database at \(opening.path) is replicated with \(remotes.joined(separator: ", ")), which served only revision trees at the last "
                + "connection: a copy with version vectors could not be pushed there",
            hint: "Upgrade the remote side, and replicate the database with it once. Or copy it all the same with: --ignore-remotes"
        )
    }

    private static func checkContent(
        _ opening: Opening,
        _ problem: String,
        _ progress: @escaping (CheckReport.Progress) throws -> Void
    ) throws {
        let report = try CheckReport(opening, progress: progress)
        guard report.errors > 0 else { return }
        let first = report.findings.first { $0.isError }.map { ", the first one: \($0.description)" } ?? ""
        throw Failure(
            .badData,
            "\(problem): \(report.errors.counted("error"))\(first)",
            hint: "See all with cblite check, and repair the database with: cblite check --repair"
        )
    }
}
