#if Replication
import CouchbaseLiteSwift
import Fleece
import Foundation

/// The numbers of replicated documents.
struct ReplicationCounts: Sendable {
    var pushed = 0
    var pulled = 0
    /// Pulled deletions.
    var deleted = 0
    /// Documents removed from the local database because the user has lost access to them.
    var purged = 0
    /// The resolved conflicts.
    var conflicts = ResolvedConflicts.Counts()
    var failed: [(id: String, isPush: Bool, message: String)] = []

    /// The counts with their verbs.
    var parts: [(count: Int, verb: String)] { [(pushed, "pushed"), (pulled, "pulled"), (deleted, "deleted"), (purged, "purged")] }
}

/// The report printed at the end of a replication.
struct ReplicationReport {
    private let type: ReplicatorType
    private let outcome: ReplicationRun.Outcome
    /// IDs of documents that the target refused in an earlier run and still does not have.
    private let refusedBefore: [String]
    /// Whether the replication was interrupted before its end. Ctrl-C is the normal end of a continuous replication.
    let isCutShort: Bool

    /// The maximum number of documents listed individually.
    private static let maximumListed = 20

    init(_ type: ReplicatorType, _ outcome: ReplicationRun.Outcome, isContinuous: Bool, refusedBefore: [String]) {
        self.type = type
        self.outcome = outcome
        isCutShort = outcome.signal != nil && !isContinuous
        self.refusedBefore = refusedBefore
    }

    /// Prints the counts, as JSON only if there was no error, and otherwise also the documents that were not replicated. The caller
    /// reports the error.
    func write(isJSON: Bool) throws {
        let counts = outcome.counts
        let output = Output()
        if isJSON {
            if outcome.error == nil { try output.line(json: json) }
        } else if outcome.error == nil || counts.parts.contains(where: { $0.count > 0 }) {
            var parts: [String] = []
            if type != .pull { parts.append("pushed \(counts.pushed.counted("document"))") }
            if type != .push { parts.append("pulled \(counts.pulled.counted("document"))") }
            if counts.deleted > 0 { parts.append("deleted \(counts.deleted.counted("document"))") }
            if counts.purged > 0 { parts.append("purged \(counts.purged.counted("document"))") }
            let line = parts.joined(separator: ", ")
            try output.line(line.prefix(1).uppercased() + line.dropFirst() + ".")
            if let text = counts.conflicts.text { try output.line(text) }
        }
        try output.flush()
        guard !isJSON else { return }
        for failure in counts.failed.prefix(Self.maximumListed) {
            let action = failure.isPush ? "was not pushed" : "was not pulled"
            say("\(failure.id) \(action): \(failure.message)")
        }
        for id in refusedBefore.prefix(Self.maximumListed) { say("\(id) is still refused") }
        if isCutShort, outcome.error == nil {
            say("Interrupted. The next run continues from here.")
        }
    }

    /// - Throws: ``Failure`` if documents were not replicated.
    func checkAllReplicated() throws {
        let failed = outcome.counts.failed.count
        guard failed > 0 || !refusedBefore.isEmpty else { return }
        var parts: [String] = []
        if failed > 0 { parts.append("failed to replicate \(failed.counted("document"))") }
        if !refusedBefore.isEmpty {
            parts.append("\(refusedBefore.count.counted("document")) refused in an earlier run \(verb) still refused")
        }
        throw Failure(
            .problemsFound,
            parts.joined(separator: ", "),
            hint: refusedBefore.isEmpty
                ? nil
                : "Refused documents are pushed again when they change, or all at once with --reset."
        )
    }

    private var verb: String { refusedBefore.count == 1 ? "is" : "are" }

    private var json: String {
        let counts = outcome.counts
        return JSONWriter.object { writer in
            if type != .pull { writer.member("pushed", counts.pushed) }
            if type != .push {
                writer.members(["pulled": counts.pulled, "deleted": counts.deleted, "purged": counts.purged])
                writer.object(
                    "conflicts",
                    [
                        "local": counts.conflicts.local, "remote": counts.conflicts.remote, "deleted": counts.conflicts.deleted,
                    ]
                )
            }
            writer.member("interrupted", isCutShort)
            writer.objects("failed", counts.failed) { writer, failure in
                writer.members(["id": failure.id, "push": failure.isPush, "error": failure.message])
            }
            if type != .pull { writer.member("refusedBefore", refusedBefore) }
        }.string
    }

    private func say(_ line: String) { StandardStreams.printError("\(line)\n") }
}
#endif
