import ArgumentParser
import CouchbaseLiteSwift
import Fleece

extension MergeRule: ExpressibleByArgument {}

/// `cblite merge`
struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies new and newer documents of another database into a database.",
        discussion: """
            Changes the first database only. Its documents get the newer revisions of the second one, with their histories and blobs, like in \
            a pull; missing collections are created. A document that was changed in both is in conflict, which is resolved at once: \
            by the rule of replication (a deletion wins, then the longer history, then the greater revision ID), or in favour of one \
            database with --resolve. Expirations and indexes are not copied. A document whose history is not valid is reported and not merged; \
            the exit code is 1 then.

            EXAMPLES:
              $ cblite merge travel.cblite2 copy.cblite2 --dry-run
              $ cblite merge travel.cblite2 copy.cblite2
              $ cblite merge travel.cblite2 copy.cblite2 --resolve other --collection inventory.hotels

            With --json, one object: added, updated, deleted, conflicts {local, other}, blobs, dryRun, and failed [{collection, id, error}] if \
            documents were not merged.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var other: OtherDatabase
    @Flag(help: "Change nothing, and print what would be changed.") var dryRun = false
    @Option(help: "The version of a document in conflict to keep: default, local or other.") var resolve = MergeRule.standard
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    /// The maximum number of documents listed individually.
    private static let maximumListed = 20

    func run() throws {
        let opening = try database.opening()
        let otherOpening = try other.opening(like: opening)
        let summary = try opening.using(.writing) { first in
            try otherOpening.using(.reading) { second in
                var merge = try DatabaseMerge(into: first, from: second, rule: resolve, isDryRun: dryRun)
                let names = collection.collection == nil ? try CollectionName.all(in: second) : [try collection.name()]
                let total = try names.reduce(0) { try $0 + Int(clamping: $1.find(in: second, creating: false)?.count ?? 0) }
                let progress = ProgressBar("Merging", total: total)
                defer { progress.finish() }
                var done = 0
                for name in names {
                    let before = done
                    try merge.merge(name) { count in
                        done = before + count
                        progress.updateNow(done)
                    }
                }
                return merge.summary
            }
        }
        try output.print(text(summary)) { writer in
            writer.members(["added": summary.added, "updated": summary.updated, "deleted": summary.deleted])
            writer.object("conflicts", ["local": summary.keptLocal, "other": summary.keptOther])
            writer.members(["blobs": summary.blobs, "dryRun": dryRun])
            guard !summary.failed.isEmpty else { return }
            writer.objects("failed", summary.failed) { writer, failed in
                writer.members(["collection": failed.collection, "id": failed.id, "error": failed.message])
            }
        }
        try checkAllMerged(summary)
    }

    /// - Throws: ``Failure`` if documents were not merged.
    private func checkAllMerged(_ summary: MergeSummary) throws {
        guard !summary.failed.isEmpty else { return }
        if !output.json {
            for failed in summary.failed.prefix(Self.maximumListed) {
                StandardStreams.printError("\(failed.collection)/\(failed.id) was not merged: \(failed.message)\n")
            }
        }
        throw Failure(.problemsFound, "failed to merge \(summary.failed.count.counted("document"))")
    }

    private func text(_ summary: MergeSummary) -> String {
        var text = dryRun ? "Would add" : "Added"
        text += " \(summary.added.counted("document")), \(dryRun ? "update" : "updated") \(summary.updated.grouped)"
        text += ", \(dryRun ? "delete" : "deleted") \(summary.deleted.grouped)."
        guard summary.conflicts > 0 else { return text }
        return text + " \(summary.conflicts.counted("conflict")): the local version is kept of \(summary.keptLocal.grouped), "
            + "the other one of \(summary.keptOther.grouped)."
    }
}
