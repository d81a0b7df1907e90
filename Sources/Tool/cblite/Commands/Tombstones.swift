import ArgumentParser
import CouchbaseLiteSwift
import Fleece
import Foundation

/// `cblite tombstones`
struct Tombstones: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists and purges tombstones.",
        discussion: """
            A deleted document leaves a tombstone, so that the deletion is replicated. A tombstone contains no time. Its sequence \
            shows the order of the changes; mark records from time to time which sequence was the last one, so that purge \
            --older-than knows later which tombstones existed at that time.

            EXAMPLES:
              $ cblite tombstones ls travel.cblite2
              $ cblite tombstones mark travel.cblite2
              $ cblite tombstones purge travel.cblite2 --older-than 90d

            All of them accept --json; see their help: cblite help tombstones purge.
            """,
        subcommands: [TombstoneList.self, TombstoneMark.self, TombstonePurge.self]
    )
}

/// `cblite tombstones ls`
struct TombstoneList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists the tombstones of a collection, in the order of their sequences.",
        discussion: """
            The last column shows the first recorded time at which the tombstone existed; see cblite help tombstones.

            EXAMPLES:
              $ cblite tombstones ls travel.cblite2
              $ cblite tombstones ls travel.cblite2 --collection inventory.hotels

            With --json, one object per line for each tombstone: id, rev, sequence, existedAt (ISO 8601, or null).
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let output = Output()
        let table = Table([("ID", .left), ("Revision", .left), ("Sequence", .right), ("Existed at", .left)], to: output)
        try database.reading { database in
            let collection = try collection.open(in: database)
            let times = try SequenceTimes(of: database)
            try collection.forEachTombstone { tombstone in
                let time = times.time(of: tombstone.sequence, in: collection).map { TimeArgument.text(milliseconds: $0) }
                if self.output.json {
                    try output.line(
                        json: JSONWriter.object([
                            "id": tombstone.id, "rev": tombstone.revision, "sequence": tombstone.sequence, "existedAt": time,
                        ]).string
                    )
                } else {
                    try table.add([tombstone.id, tombstone.revision, String(tombstone.sequence), time ?? ""])
                }
                return true
            }
        }
        if !self.output.json { try table.finish() }
        try output.flush()
    }
}

/// `cblite tombstones mark`
struct TombstoneMark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mark",
        abstract: "Records the time and the last sequences, for purge --older-than.",
        discussion: """
            Run this regularly, for example once a day. The last 1,000 records are kept in the database.

            EXAMPLES:
              $ cblite tombstones mark travel.cblite2

            With --json, one object: time (ISO 8601), collections [{name, sequence}].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let record = try database.writing { try SequenceTimes.record(in: $0) }
        let time = TimeArgument.text(milliseconds: record.time)
        try output.print("Recorded the sequences of \(record.sequences.count.counted("collection")) at \(time).") { writer in
            writer.member("time", time)
            writer.objects("collections", record.sequences.sorted { $0.key < $1.key }) { writer, collection in
                writer.members(["name": collection.key, "sequence": collection.value])
            }
        }
    }
}

/// `cblite tombstones purge`
struct TombstonePurge: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Removes old tombstones.",
        discussion: """
            A database that has not been synchronized since a deletion keeps the document after its tombstone is purged here: the \
            deletion is not replicated to it, and the document can come back from it. So purge only tombstones that are older than \
            the longest time for which any device stays offline.

            --older-than purges what was deleted, or received as deleted, before that time. This is known only if the time of a sequence \
            was recorded with cblite tombstones mark, or by an earlier purge, at least that long ago; otherwise the command fails. Without such a \
            record, give the sequence with --before; ls and watch show sequences.

            EXAMPLES:
              $ cblite tombstones purge travel.cblite2 --older-than 90d
              $ cblite tombstones purge travel.cblite2 --before 12000 --dry-run

            With --json, one object: purged (number), before (sequence), dryRun.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Option(help: ArgumentHelp("Purge tombstones of at least this age, such as 90d, 12w or 36h.", valueName: "age")) var olderThan: String?
    @Option(help: ArgumentHelp("Purge tombstones with a lower sequence.", valueName: "sequence")) var before: UInt64?
    @Flag(help: "Only count the tombstones.") var dryRun = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (olderThan == nil) != (before == nil) else { throw ValidationError("Give one of --older-than and --before.") }
        if let olderThan, DurationArgument.seconds(olderThan) == nil {
            throw ValidationError("--older-than \(olderThan) is not a time such as 90d, 12w or 36h.")
        }
    }

    func run() throws {
        let (count, limit) = dryRun ? try database.reading(count) : try database.writing(purge)
        let text = dryRun ? "\(count.counted("tombstone")) would be purged." : "Purged \(count.counted("tombstone"))."
        try output.print(text, ["purged": count, "before": limit, "dryRun": dryRun])
    }

    private func count(in database: Database) throws -> (Int, UInt64) {
        let collection = try collection.open(in: database)
        let limit = try self.limit(in: collection)
        var count = 0
        try collection.forEachTombstone { tombstone in
            if tombstone.sequence < limit { count += 1 }
            return tombstone.sequence < limit
        }
        return (count, limit)
    }

    private func purge(in database: Database) throws -> (Int, UInt64) {
        let collection = try collection.open(in: database)
        let limit = try self.limit(in: collection)
        let progress = ProgressBar("Purging", total: nil, unit: .items("tombstone"))
        defer { progress.finish() }
        let count = try collection.purgeTombstones(before: limit) { progress.updateNow($0) }
        _ = try SequenceTimes.record(in: database)
        return (count, limit)
    }

    /// Returns the sequence before which tombstones are purged.
    private func limit(in collection: DocumentCollection) throws -> UInt64 {
        if let before { return before }
        let age = olderThan.flatMap { DurationArgument.seconds($0) } ?? 0
        let time = Int64((Date().timeIntervalSince1970 - age) * 1000)
        guard let sequence = try SequenceTimes(of: collection.database).sequence(of: collection, at: time) else {
            throw Failure(
                .notFound,
                "it is not known which tombstones are older than \(olderThan ?? ""): tombstones contain no time, and none was recorded then",
                hint: "Record times regularly with: cblite tombstones mark DATABASE, or give a sequence with --before."
            )
        }
        return sequence + 1
    }
}
