import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite diff`
struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the differences between two databases.",
        discussion: """
            Compares the properties of the documents of all collections, or of one. Deleted documents count as missing; revision \
            histories, indexes, expirations and the contents of blobs are not compared (a blob with another content has another digest). < \
            marks documents and values of the first database, > those of the second. The exit code is 1 if there is a difference.

            EXAMPLES:
              $ cblite diff travel.cblite2 copy.cblite2
              $ cblite diff --brief travel.cblite2 copy.cblite2 --collection inventory.hotels

            With --json, one object per line for each document that differs: collection, id, difference (onlyInFirst, onlyInSecond or \
            changed), and for changed, changes [{path, first, second}], where a missing value is omitted.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var other: OtherDatabase
    @Flag(help: "Show only the IDs of the documents.") var brief = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    private struct Counts {
        var onlyInFirst = 0
        var onlyInSecond = 0
        var changed = 0
        var equal = 0

        var differences: Int { onlyInFirst + onlyInSecond + changed }
    }

    func run() throws {
        let opening = try database.opening()
        let otherOpening = try other.opening(like: opening)
        let output = Output()
        var counts = Counts()
        try opening.using(.reading) { first in
            try otherOpening.using(.reading) { second in
                for name in try names(first, second) {
                    let collections = (try name.find(in: first, creating: false), try name.find(in: second, creating: false))
                    guard collections.0 != nil || collections.1 != nil else { throw try name.missing(in: first) }
                    try compare(collections.0, collections.1, name.fullName, &counts, output)
                }
            }
        }
        if !self.output.json {
            try output.line(
                "\(counts.onlyInFirst.counted("document")) only in the first, \(counts.onlyInSecond.grouped) only in the second, "
                    + "\(counts.changed.grouped) changed, \(counts.equal.grouped) equal."
            )
        }
        try output.flush()
        if counts.differences > 0 { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    /// Returns the names of the collections to compare, without duplicates.
    private func names(_ first: Database, _ second: Database) throws -> [CollectionName] {
        if collection.collection != nil { return [try collection.name()] }
        return try CollectionName.all(in: first, second)
    }

    private func compare(
        _ first: DocumentCollection?,
        _ second: DocumentCollection?,
        _ name: String,
        _ counts: inout Counts,
        _ output: Output
    ) throws {
        var (left, right) = (DocumentPages(first), DocumentPages(second))
        var (a, b) = (try left.next(), try right.next())
        let progress = ProgressBar("Comparing", total: first.map { Int(clamping: $0.count) })
        defer { progress.finish() }
        var done = 0
        while a != nil || b != nil {
            if let document = a, b.map({ StoredDocument.isOrdered(document.id, $0.id) }) ?? true {
                counts.onlyInFirst += 1
                try print(document.id, name, "onlyInFirst", "<", [], output)
                a = try left.next()
                done += 1
            } else if let document = b, a.map({ StoredDocument.isOrdered(document.id, $0.id) }) ?? true {
                counts.onlyInSecond += 1
                try print(document.id, name, "onlyInSecond", ">", [], output)
                b = try right.next()
            } else if let one = a, let two = b {
                let differences = try one.differences(from: two)
                if differences.isEmpty {
                    counts.equal += 1
                } else {
                    counts.changed += 1
                    try print(one.id, name, "changed", "~", differences, output)
                }
                (a, b) = (try left.next(), try right.next())
                done += 1
            }
            progress.update(done)
        }
    }

    private func print(
        _ id: String,
        _ collection: String,
        _ difference: String,
        _ mark: String,
        _ changes: [PropertyDifference],
        _ output: Output
    ) throws {
        guard !self.output.json else {
            let line = JSONWriter.object { writer in
                writer.members(["collection": collection, "id": id, "difference": difference])
                guard !brief, difference == "changed" else { return }
                writer.objects("changes", changes) { writer, change in
                    writer.member("path", change.path.description)
                    if let value = change.left { writer.member("first", json: value) }
                    if let value = change.right { writer.member("second", json: value) }
                }
            }.string
            return try output.line(json: line)
        }
        let style = Style(for: .standardOutput)
        let prefix = collection == DocumentCollection.defaultFullName ? "" : "\(collection) "
        try output.line("\(mark) \(style.bold(prefix + id))")
        guard !brief else { return }
        for change in changes {
            try output.line("    \(change.path)")
            if let value = change.left { try output.line("      " + style.red("< \(value)")) }
            if let value = change.right { try output.line("      " + style.green("> \(value)")) }
        }
    }
}
