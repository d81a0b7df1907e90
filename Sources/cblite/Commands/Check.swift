import ArgumentParser

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
        let report = try CheckReport(database.opening())
        let errors = report.findings.count(where: \.isError)
        let output = Output()
        if self.output.json {
            try output.line(json(report, isGood: errors == 0))
        } else {
            try print(report, errors: errors, to: output)
        }
        try output.flush()
        if errors > 0 { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    private func print(_ report: CheckReport, errors: Int, to output: Output) throws {
        let style = Style(for: .standardOutput)
        for finding in report.findings {
            let label = finding.isError ? style.red("error:") : style.yellow("warning:")
            try output.line("\(label) \(finding.description)")
        }
        try output.line("Checked \(report.counts.map { $0.count.counted($0.noun) }.joined(separator: ", ")).")
        if report.foreignRevisionIDs > 0 {
            try output.line("\(report.foreignRevisionIDs.counted("revision ID")) not derived from the content: created by another peer.")
        }
        let warnings = report.findings.count - errors
        if report.findings.isEmpty {
            try output.line(style.green("No problems found."))
        } else {
            try output.line("Found \(errors.counted("error")) and \(warnings.counted("warning")).")
        }
    }

    private func json(_ report: CheckReport, isGood: Bool) -> String {
        JSONPrinter.object { printer in
            printer.member("ok", isGood)
            printer.objects("findings", report.findings) { printer, finding in
                printer.member("severity", finding.severity)
                printer.member("subject", finding.subject)
                printer.member("message", finding.message)
            }
            printer.object("checked") { printer in
                for (key, _, count) in report.counts { printer.member(key, count) }
                printer.member("foreignRevisionIDs", report.foreignRevisionIDs)
            }
        }
    }
}
