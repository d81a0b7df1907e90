import Fleece

/// The report on an import.
struct ImportReport {
    let summary: ImportSummary
    let seconds: Double
    let policy: ImportErrorPolicy

    /// Prints the summary to standard output and the problems to standard error.
    ///
    /// - Throws: ``Failure`` if there was a problem.
    func print(json: Bool) throws {
        let output = Output()
        if json { try output.line(json: self.json) } else { try output.line(text) }
        try output.flush()
        if let fatal = summary.fatalProblem {
            throw Failure(.badData, fatal.description, hint: hint)
        }
        if summary.blobs.missing > 0 {
            let verb = summary.blobs.missing == 1 ? "has" : "have"
            StandardStreams.printError(
                "\(summary.blobs.missing.counted("blob")) in the documents \(verb) no content: give the directory of an export with --blobs.\n"
            )
        }
        guard summary.skipped > 0 else { return }
        for problem in summary.problems { StandardStreams.printError("\(Failure.prefix)\(problem)\n") }
        let more = summary.skipped - summary.problems.count
        if more > 0 { StandardStreams.printError("\(Failure.prefix)and \(more.grouped) more\n") }
        throw Failure(.badData, "skipped \(summary.skipped.counted("document")) that could not be imported")
    }

    private var text: String {
        guard summary.fatalProblem == nil && !summary.isInterrupted || summary.imported > 0 else {
            return summary.isInterrupted ? "Interrupted. Imported nothing." : "Imported nothing."
        }
        var text = "Imported \(summary.imported.counted("document"))"
        if summary.updated > 0 { text += ", \(summary.updated.grouped) of them as new revisions" }
        if summary.blobs.copied > 0 { text += " and \(summary.blobs.copied.counted("blob"))" }
        if summary.isInterrupted { text = "Interrupted. " + text }
        return text + " in \((seconds * 100).rounded() / 100) s."
    }

    private var hint: String {
        switch policy {
        case _ where summary.imported == 0, .rollback: "Nothing was imported. Correct the input, or use --on-error skip."
        case .stop, .skip:
            "\(summary.imported.counted("document")) before it "
                + "\(summary.imported == 1 ? "was" : "were") imported and kept; --on-error rollback imports all documents or none."
        }
    }

    private var json: String {
        JSONWriter.object { writer in
            writer.members([
                "imported": summary.imported, "created": summary.created, "updated": summary.updated, "skipped": summary.skipped,
                "blobs": summary.blobs.copied, "missingBlobs": summary.blobs.missing, "interrupted": summary.isInterrupted,
                "seconds": (seconds * 1000).rounded() / 1000,
            ])
            let problems = summary.problems + (summary.fatalProblem.map { [$0] } ?? [])
            writer.objects("problems", problems) { writer, problem in
                writer.members(["file": problem.position.file, "line": problem.position.line, "column": problem.position.column])
                if let line = problem.documentLine { writer.member("documentLine", line) }
                writer.member("message", problem.message)
            }
        }.string
    }
}
