import Base
import SQLiteEngine

/// Repairs what can be rebuilt from the documents of a database: indexes, full-text indexes, sequences, flags, and files of blobs to which no
/// document refers. Documents are never dropped.
package enum Repair {
    /// The outcome of a repair.
    package struct Result: Sendable {
        /// What a check has found before the repair.
        package let before: CheckResult
        /// What a check has found after the repair.
        package let after: CheckResult
        /// What was done, as complete phrases.
        package let changes: [String]
    }

    /// The reason why nothing was repaired.
    package struct Impossible: Error, Sendable {
        /// What is lost, which only ``Salvage`` may leave out.
        package let report: SalvageReport
    }

    /// Checks a database, repairs it, and checks it again.
    ///
    /// If pages are damaged, all documents, checkpoints and definitions of indexes are copied to a new file, which replaces the damaged one
    /// when it is complete. Everything else is repaired in one transaction. If the process is killed, either nothing or everything of a
    /// step is done.
    ///
    /// - Throws: ``Impossible`` if a document cannot be read; ``StoreError``, among others `inUse` if pages are damaged and the database is
    ///   open. After an error nothing has changed.
    package static func run(
        _ path: String,
        options: DatabaseFile.Options,
        progress: @escaping BundleChecker.Progress = { _ in }
    ) throws -> Result {
        let before = try BundleChecker.check(path, options: options, progress: progress)
        guard before.errorCount > 0 || before.warningCount > 0 || before.unusedBlobs > 0 else {
            return Result(before: before, after: before, changes: [])
        }
        var changes: [String] = []
        if before.hasDamagedPages {
            try rewrite(path, options)
            changes.append("copied all documents to a new file, because pages were damaged")
        }
        let file = try DatabaseRegistry.open(path, options: options)
        do {
            changes += try file.transaction { try RecordRepair(file, $0).run() }
            try file.compact()
            if before.unusedBlobs > 0 { changes.append("removed \(counted(before.unusedBlobs, "blob")) to which no document refers") }
            try DatabaseRegistry.close(file)
        } catch {
            DatabaseRegistry.closeLoggingErrors(file)
            throw error
        }
        let after = try BundleChecker.check(path, options: options, progress: progress)
        EngineLog.log(.info, .database, "repaired the database at \(path): \(changes.joined(separator: ", "))")
        return Result(before: before, after: after, changes: changes)
    }

    /// Returns the number with the noun in the right form.
    static func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
        count == 1 ? "1 \(singular)" : "\(count) \(plural ?? singular + "s")"
    }

    /// Replaces the bundle by a copy without damaged pages.
    private static func rewrite(_ path: String, _ options: DatabaseFile.Options) throws {
        try DatabaseRegistry.withClosedBundle(path) { bundle in
            let source = try DamagedFile(bundle, options)
            let replacement = try BundleReplacement(of: bundle)
            let run = try SalvageRun(source, to: replacement.unfinished, options, copiesEverything: true)
            try run.copy { _ in }
            guard run.report.lossCountWithoutBlobs == 0 else { throw Impossible(report: run.report) }
            try createFullTextTables(of: source, in: replacement.unfinished, options)
            try replacement.install()
        }
    }

    /// Creates the tables of the full-text indexes, whose statements contain their options; ``RecordRepair`` fills them.
    private static func createFullTextTables(of source: DamagedFile, in made: BundlePath, _ options: DatabaseFile.Options) throws {
        let statements = source.tables.otherTables.filter(\.isFullTextIndex).compactMap(\.sql)
        guard !statements.isEmpty else { return }
        let file = try DatabaseRegistry.open(made.directory, options: options)
        defer { DatabaseRegistry.closeLoggingErrors(file) }
        try file.transaction { writer in
            // Each is prepared alone: the SQL of an untrusted file may contain more than one statement, which is rejected.
            for statement in statements { try writer.connection.prepare(statement).run() }
        }
    }
}
