import ArgumentParser
import DocumentStore

/// `cblite check`
struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks a database for damage.",
        discussion: """
            Reads the pages of the file, the shared keys, every document with all its revisions, and the blobs. \
            Changes nothing. Prints every finding; the exit code is 1 if one of them is an error, and 0 if there are \
            only warnings.

            EXAMPLES:
              $ cblite check travel.cblite2
              $ cblite check --json travel.cblite2

            With --json, one object: ok, findings [{severity, subject, message}], checked {documents, tombstones, revisions, \
            collections, blobs, sharedKeys, foreignRevisionIDs}.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let (findings, summary) = try database.reading { try BundleChecker($0).check() }
        let isGood = !findings.contains { $0.severity == .error }
        let output = Output()
        if self.output.json {
            try output.line(json(findings, summary, isGood: isGood))
        } else {
            try print(findings, summary, to: output)
        }
        try output.flush()
        if !isGood { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    private func print(_ findings: [Finding], _ summary: BundleChecker.Summary, to output: Output) throws {
        let style = Style(for: .standardOutput)
        for finding in findings {
            let label = finding.severity == .error ? style.red("error:") : style.yellow("warning:")
            try output.line("\(label) \(finding.description)")
        }
        try output.line(
            "Checked \(summary.documents.counted("document")), \(summary.tombstones.counted("tombstone")), "
                + "\(summary.revisions.counted("revision")), \(summary.collections.counted("collection")), "
                + "\(summary.blobs.counted("blob")), \(summary.sharedKeys.counted("shared key"))."
        )
        if summary.foreignRevisionIDs > 0 {
            try output.line("\(summary.foreignRevisionIDs.counted("revision ID")) not derived from the content: created by another peer.")
        }
        let errors = findings.count { $0.severity == .error }
        let warnings = findings.count - errors
        if findings.isEmpty {
            try output.line(style.green("No problems found."))
        } else {
            try output.line("Found \(errors.counted("error")) and \(warnings.counted("warning")).")
        }
    }

    private func json(_ findings: [Finding], _ summary: BundleChecker.Summary, isGood: Bool) -> String {
        JSONPrinter.object { printer in
            printer.member("ok", isGood)
            printer.objects("findings", findings) { printer, finding in
                printer.member("severity", finding.severity.rawValue)
                printer.member("subject", finding.subject)
                printer.member("message", finding.message)
            }
            printer.object("checked") { printer in
                printer.member("documents", summary.documents)
                printer.member("tombstones", summary.tombstones)
                printer.member("revisions", summary.revisions)
                printer.member("collections", summary.collections)
                printer.member("blobs", summary.blobs)
                printer.member("sharedKeys", summary.sharedKeys)
                printer.member("foreignRevisionIDs", summary.foreignRevisionIDs)
            }
        }
    }
}
