import ArgumentParser
import Fleece

/// `cblite salvage`
struct SalvageCommand: DestinationCommand {
    static let configuration = CommandConfiguration(
        commandName: "salvage",
        abstract: "Copies what can be read of a damaged database to a new one.",
        discussion: """
            Reads the pages of the file directly, also where SQLite gives up: every document whose pages are intact is copied, with \
            its revision tree, its expiration and its blobs, and tombstones too. Pages that no tree leads to any more are searched for \
            documents. The write-ahead log is taken into account. The damaged database is not changed.

            The new database has the same UUIDs and the same key. Indexes and replication checkpoints are not copied: create \
            the indexes again with cblite index; replication compares all documents once.

            EXAMPLES:
              $ cblite salvage damaged.cblite2 salvaged.cblite2
              $ cblite check salvaged.cblite2

            Prints what was lost: documents by their IDs, if the index of the IDs can be read, and each damaged page once. The exit code is 1 if something was, otherwise 0. With --json, one object: ok, database, \
            copied {documents, tombstones, revisions, collections, blobs, foundOutsideTrees}, lost [{subject, message}], lostCount, \
            notes [{subject, message}], indexes.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp.destination, completion: .directory) var destination: String
    @OptionGroup var output: OutputOptions

    func run() throws {
        let destination = try checkedDestination()
        let opening = try database.opening()
        let bar = ProgressBar("Salvaging", total: nil)
        let outcome = try bar.whileInterruptible(kept: "No database was created.") { stop in
            try SalvageOutcome(opening, to: destination) { count in
                try stop.check()
                bar.update(count)
            }
        }
        let output = Output()
        if self.output.json {
            try output.line(json: json(outcome, destination))
        } else {
            try print(outcome, destination, to: output)
        }
        try output.flush()
        if outcome.lossCount > 0 { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    private func print(_ outcome: SalvageOutcome, _ destination: String, to output: Output) throws {
        let style = output.style
        for loss in outcome.losses {
            try output.line((loss.isNote ? style.yellow("note: ") : style.red("lost: ")) + "\(loss.subject): \(loss.message)")
        }
        let counts = outcome.counts.map { $0.count.counted($0.noun) }.joined(separator: ", ")
        try output.line("Copied \(counts) to \(destination).")
        if outcome.foundOutsideTrees > 0 {
            try output.line("Of these, \(outcome.foundOutsideTrees.counted("document")) were on pages that no tree leads to.")
        }
        if !outcome.indexes.isEmpty { try output.line("Indexes to be created again: \(outcome.indexes.joined(separator: ", "))") }
        if outcome.lossCount == 0 {
            try output.line(style.green("Nothing was lost."))
        } else {
            try output.line("Lost: \(outcome.lossCount.counted("item")).")
        }
    }

    private func json(_ outcome: SalvageOutcome, _ destination: String) -> String {
        func write(_ losses: [SalvageOutcome.Loss], as name: String, _ writer: inout JSONWriter) {
            writer.objects(name, losses) { writer, loss in
                writer.members(["subject": loss.subject, "message": loss.message])
            }
        }
        return JSONWriter.object { writer in
            writer.members(["ok": outcome.lossCount == 0, "database": destination])
            writer.object("copied") { writer in
                for (key, _, count) in outcome.counts { writer.member(key, count) }
                writer.member("foundOutsideTrees", outcome.foundOutsideTrees)
            }
            write(outcome.losses.filter { !$0.isNote }, as: "lost", &writer)
            writer.member("lostCount", outcome.lossCount)
            write(outcome.losses.filter(\.isNote), as: "notes", &writer)
            writer.member("indexes", outcome.indexes)
        }.string
    }
}
