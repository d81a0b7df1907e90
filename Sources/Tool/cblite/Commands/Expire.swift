import ArgumentParser
import CouchbaseLiteSwift
import Fleece
import Foundation

/// `cblite expire`
struct Expire: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows and sets when documents expire.",
        discussion: """
            An expired document is purged: it is removed without a tombstone, from this database only. This happens at the time if a \
            program has the database open, otherwise when the next one opens it for writing. Without an ID, lists all documents that \
            expire; with an ID only, shows when it expires. A time is written as 2026-12-31, 2026-12-31T18:00 (in the time zone of this \
            machine) or 2026-12-31T18:00:00Z.

            EXAMPLES:
              $ cblite expire travel.cblite2
              $ cblite expire travel.cblite2 airport_CDG --in 30d
              $ cblite expire travel.cblite2 airport_CDG --at 2026-12-31T18:00:00Z
              $ cblite expire travel.cblite2 airport_CDG --never
              $ cblite expire travel.cblite2 --purge-now

            With --json, one object per line for each document: id, expiration (ISO 8601, or null), and deleted in the list; with \
            --purge-now: id, purged.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The ID of the document.") var id: String?
    @Option(help: ArgumentHelp("The document expires at this time.", valueName: "time")) var at: String?
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp("The document expires after this time, such as 30d, 12h or 90m.", valueName: "time")
    )
    var delay: String?
    @Flag(help: "The document does not expire any more.") var never = false
    @Flag(help: "Purge all documents that have expired.") var purgeNow = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let changes = [at != nil, delay != nil, never].count(where: \.self)
        guard changes <= 1 else { throw ValidationError("Give one of --at, --in and --never.") }
        guard changes == 0 || id != nil else { throw ValidationError("--at, --in and --never need the ID of a document.") }
        guard !purgeNow || id == nil else { throw ValidationError("--purge-now purges all expired documents: omit the ID.") }
        if let at, TimeArgument.date(at) == nil { throw ValidationError("--at \(at) is not a time such as 2026-12-31T18:00.") }
        if let delay, DurationArgument.seconds(delay) == nil { throw ValidationError("--in \(delay) is not a time such as 30d or 12h.") }
    }

    func run() throws {
        if purgeNow { return try purge() }
        guard let id else { return try list() }
        let isChange = at != nil || delay != nil || never
        let new = at.flatMap(TimeArgument.date) ?? delay.flatMap(DurationArgument.seconds).map { Date(timeIntervalSinceNow: $0) }
        let date =
            isChange
            ? try database.writing { try set(new, of: id, in: $0) } : try database.reading { try expiration(of: id, in: $0) }
        let time = date.map { TimeArgument.text(milliseconds: Int64(($0.timeIntervalSince1970 * 1000).rounded())) }
        try output.print(time.map { "\(id) expires at \($0)" } ?? "\(id) does not expire", ["id": id, "expiration": time])
    }

    private func set(_ date: Date?, of id: String, in database: Database) throws -> Date? {
        let collection = try collection.open(in: database)
        guard try collection.document(id: id) != nil else { throw Failure.noDocument(id, in: collection) }
        try collection.setDocumentExpiration(id: id, expiration: date)
        return try collection.getDocumentExpiration(id: id)
    }

    private func expiration(of id: String, in database: Database) throws -> Date? {
        let collection = try collection.open(in: database)
        guard try collection.document(id: id) != nil else { throw Failure.noDocument(id, in: collection) }
        return try collection.getDocumentExpiration(id: id)
    }

    private func list() throws {
        let output = Output()
        let table = Table([("Expires at", .left), ("ID", .left), ("", .left)], to: output)
        try database.reading { database in
            try collection.open(in: database).forEachExpiration { id, milliseconds, isDeleted in
                let time = TimeArgument.text(milliseconds: milliseconds)
                guard self.output.json else { return try table.add([time, id, isDeleted ? "deleted" : ""]) }
                try output.line(
                    json: JSONWriter.object(["id": id, "expiration": time, "deleted": isDeleted]).string
                )
            }
        }
        if !self.output.json { try table.finish() }
        try output.flush()
    }

    /// Returns the IDs of the documents that have expired.
    private func due(in collection: DocumentCollection) throws -> [String] {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        var ids: [String] = []
        try collection.forEachExpiration { id, milliseconds, _ in if milliseconds <= now { ids.append(id) } }
        return ids
    }

    private func purge() throws {
        let opening = try database.opening()
        // Opening the database for writing can purge them already.
        var purged = try opening.using(.reading) { try due(in: collection.open(in: $0)) }
        let others = try opening.using(.writing) { try collection.open(in: $0).purgeExpired() }
        let known = Set(purged.map { Array($0.utf8) })
        purged += others.filter { !known.contains(Array($0.utf8)) }
        let output = Output()
        if self.output.json {
            for id in purged {
                try output.line(
                    json: JSONWriter.object(["id": id, "purged": true]).string
                )
            }
        } else {
            try output.line("Purged \(purged.count.counted("document")).")
        }
        try output.flush()
    }
}
