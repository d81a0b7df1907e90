import ArgumentParser
import Fleece

/// `cblite check`
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks a database for damage, and repairs it.",
        discussion: """
            Reads the pages of the file, the shared keys, every document with all its revisions, the indexes, and the blobs. Where \
            SQLite gives up at a damaged page, the other pages are read without it, so that everything that is damaged is named. \
            Prints every finding; the exit code is 1 if one of them is an error, and 0 if there are only warnings.

            With --repair, what can be rebuilt from the documents is rebuilt: indexes, full-text indexes, sequences, flags; blobs to \
            which no document refers are removed. Documents are never dropped: if one cannot be read, nothing is changed, and cblite \
            salvage copies the others to a new database. The exit code is 1 if errors remain.

            EXAMPLES:
              $ cblite check travel.cblite2
              $ cblite check --json travel.cblite2
              $ cblite check --repair travel.cblite2

            With --json, one object: ok, findings [{severity, kind, subject, message}], errors, warnings, checked {documents, \
            tombstones, revisions, collections, blobs, unusedBlobs, sharedKeys, foreignRevisionIDs}; with --repair also changes, and \
            the findings are those that remain. The kinds are file, page, table, document, blob, index and information. If \
            nothing can be checked, for example because the key is wrong, ok is false and the reason is the only finding.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    @Flag(help: "Rebuild what can be rebuilt.")
    var repair = false

    func run() throws {
        let opening = try database.opening()
        let stop = StopRequest()
        let bars = CheckBars()
        defer {
            bars.finish()
            stop.end()
        }
        func show(_ progress: CheckReport.Progress) throws {
            try stop.check()
            bars.show(progress)
        }
        let report: CheckReport
        var changes: [String]?
        do {
            if repair {
                let repaired = try RepairReport(opening, progress: show)
                bars.finish()
                if !output.json { try print(repaired.before, to: Output(), isSummarized: false) }
                (report, changes) = (repaired.after, repaired.changes)
            } else {
                report = try CheckReport(opening, progress: show)
            }
        } catch {
            bars.finish()
            if error is ExitCode { printInterruption() }
            if output.json, let failure = Failure(error) { try printJSON(failure) }
            throw error
        }
        bars.finish()
        let output = Output()
        if self.output.json {
            try output.line(json: json(report, changes))
        } else {
            if let changes { try print(changes, to: output) }
            try print(report, to: output, isSummarized: true)
        }
        try output.flush()
        if report.errors > 0 { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    private func printInterruption() {
        let kept = repair ? "What was repaired before is kept, and nothing was repaired by half." : "The database was not changed."
        StandardStreams.printError("Interrupted. \(kept)\n")
    }

    private func print(_ changes: [String], to output: Output) throws {
        for change in changes { try output.line("Repaired: \(change).") }
        if changes.isEmpty { try output.line("Nothing was to be repaired.") }
    }

    private func print(_ report: CheckReport, to output: Output, isSummarized: Bool) throws {
        let style = Style(for: .standardOutput)
        let findings = report.findings
        for finding in findings {
            let label = finding.isError ? style.red("error:") : style.yellow("warning:")
            try output.line("\(label) \(finding.description)")
        }
        let more = report.errors + report.warnings - findings.count
        if more > 0 { try output.line("… and \(more.counted("finding")) more.") }
        guard isSummarized else { return try output.flush() }
        try output.line("Checked \(report.counts.map { $0.count.counted($0.noun) }.joined(separator: ", ")).")
        if report.foreignRevisionIDs > 0 {
            try output.line("\(report.foreignRevisionIDs.counted("revision ID")) not derived from the content: created by another peer.")
        }
        if report.unusedBlobs > 0 {
            try output.line("\(report.unusedBlobs.counted("blob")) used by no document: cblite compact removes them.")
        }
        if findings.isEmpty {
            try output.line(style.green("No problems found."))
        } else {
            try output.line("Found \(report.errors.counted("error")) and \(report.warnings.counted("warning")).")
        }
    }

    private func json(_ report: CheckReport, _ changes: [String]?) -> String {
        JSONWriter.object { writer in
            writer.member("ok", report.errors == 0)
            if let changes { writer.member("changes", changes) }
            writer.objects("findings", report.findings) { writer, finding in
                writer.members([
                    "severity": finding.severity, "kind": finding.kind, "subject": finding.subject, "message": finding.message,
                ])
            }
            writer.members(["errors": report.errors, "warnings": report.warnings])
            writer.object("checked") { writer in
                for (key, _, count) in report.counts { writer.member(key, count) }
                writer.members(["unusedBlobs": report.unusedBlobs, "foreignRevisionIDs": report.foreignRevisionIDs])
            }
        }.string
    }

    /// Prints the reason why nothing could be checked.
    private func printJSON(_ failure: Failure) throws {
        let output = Output()
        try output.line(
            json: JSONWriter.object { writer in
                writer.member("ok", false)
                writer.objects("findings", [failure]) { writer, failure in
                    writer.members(["severity": "error", "kind": "file", "subject": database.path, "message": failure.message])
                }
                writer.members(["errors": 1, "warnings": 0])
            }.string
        )
        try output.flush()
    }
}

/// The progress bars of the parts of a check.
final class CheckBars {
    private var bar: ProgressBar?
    private var part = 0

    func show(_ progress: CheckReport.Progress) {
        switch progress {
        case .pages(let done, let total):
            start(1) { ProgressBar("Checking the pages", total: total, unit: .items("page")) }
            if done > 0 { bar?.updateNow(done) }
        case .documents(let done, let total):
            start(2) { ProgressBar("Checking documents", total: total) }
            bar?.update(done)
        case .blobs(let done, let total):
            start(3) { ProgressBar("Checking blobs", total: total, unit: .items("blob")) }
            bar?.updateNow(done)
        }
    }

    private func start(_ number: Int, _ make: () -> ProgressBar) {
        guard part != number else { return }
        finish()
        part = number
        bar = make()
        if number == 1 { bar?.showAtOnce() }
    }

    func finish() {
        bar?.finish()
        bar = nil
    }
}
