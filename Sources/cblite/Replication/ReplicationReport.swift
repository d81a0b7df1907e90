#if Replication
import Foundation

/// What is said at the end of a replication.
struct ReplicationReport {
    private let outcome: ReplicationRun.Outcome
    /// Documents that the other side refused in an earlier run, and still does not have.
    private let refusedBefore: [String]
    /// Whether it was interrupted before its end. To be ended by Ctrl-C is how one that goes on for ever ends.
    let isCutShort: Bool

    /// How many documents are listed one by one.
    private static let maximumListed = 20

    init(_ outcome: ReplicationRun.Outcome, isContinuous: Bool, refusedBefore: [String]) {
        self.outcome = outcome
        isCutShort = outcome.signal != nil && !isContinuous
        self.refusedBefore = refusedBefore
    }

    /// Prints what went over. What ended with an error has it said after that, unless it is for programs.
    func write(isJSON: Bool) throws {
        let counts = outcome.counts
        let output = Output()
        if isJSON {
            if outcome.error == nil { try output.line(json) }
        } else if outcome.error == nil || counts.parts.contains(where: { $0.count > 0 }) {
            var line = "Pushed \(counts.pushed.counted("document")), pulled \(counts.pulled.counted("document"))"
            if counts.deleted > 0 { line += ", deleted \(counts.deleted.counted("document"))" }
            if counts.purged > 0 { line += ", purged \(counts.purged.counted("document"))" }
            try output.line(line + ".")
        }
        try output.flush()
        guard !isJSON else { return }
        for failure in counts.failed.prefix(Self.maximumListed) {
            let action = failure.isPush ? "was not pushed" : "was not pulled"
            say("\(failure.id) \(action): \(failure.message)")
        }
        for id in refusedBefore.prefix(Self.maximumListed) { say("\(id) is still refused") }
        if isCutShort, outcome.error == nil {
            say("Interrupted. What went over is remembered; the next run goes on from there.")
        }
    }

    /// - Throws: ``Failure`` when documents did not go over.
    func checkThatAllWentOver() throws {
        let failed = outcome.counts.failed.count
        guard failed > 0 || !refusedBefore.isEmpty else { return }
        var parts: [String] = []
        if failed > 0 { parts.append("\(failed.counted("document")) did not go over") }
        if !refusedBefore.isEmpty {
            parts.append("\(refusedBefore.count.counted("document")) that the other side refused before \(verb) still refused")
        }
        throw Failure(
            .problemsFound,
            parts.joined(separator: ", "),
            hint: refusedBefore.isEmpty
                ? nil
                : "They are sent again when they change; or all at once, when the server takes them now, with --reset."
        )
    }

    private var verb: String { refusedBefore.count == 1 ? "is" : "are" }

    private var json: String {
        let counts = outcome.counts
        return JSONPrinter.object { printer in
            printer.member("pushed", counts.pushed)
            printer.member("pulled", counts.pulled)
            printer.member("deleted", counts.deleted)
            printer.member("purged", counts.purged)
            printer.member("interrupted", isCutShort)
            printer.objects("failed", counts.failed) { printer, failure in
                printer.member("id", failure.id)
                printer.member("push", failure.isPush)
                printer.member("error", failure.message)
            }
            printer.strings("refusedBefore", refusedBefore)
        }
    }

    private func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
#endif
