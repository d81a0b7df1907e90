import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite revs`
struct Revisions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revs",
        abstract: "Shows the revisions of a document.",
        discussion: """
            Shows each branch from its newest revision to the revision where it forks from a branch shown before. The \
            first branch is the current one. Deleted documents are shown too. A database with version vectors has no branches: the current \
            revision is shown, and the latest ones known at remote databases.

            EXAMPLES:
              $ cblite revs travel.cblite2 airport_CDG
              $ cblite revs --json travel.cblite2 airport_CDG

            With --json, one object per line for each revision: rev, parent (or null), sequence (0 if unknown), current, leaf, \
            deleted, conflict, closed, blobs, body (whether it is stored), rejected, remotes [number].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The ID of the document.") var id: String
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let revisions = try database.reading { database in
            let collection = try collection.open(in: database)
            guard let found = try collection.revisions(of: id) else { throw Failure.noDocument(id, in: collection) }
            return found
        }
        let output = Output()
        if self.output.json {
            for (index, revision) in revisions.enumerated() {
                try output.line(json: json(revision, isCurrent: index == 0))
            }
        } else {
            try print(revisions, to: output)
        }
        try output.flush()
    }

    private func print(_ revisions: [DocumentRevision], to output: Output) throws {
        let style = Style(for: .standardOutput)
        let byID = Dictionary(revisions.map { ($0.id, $0) }) { first, _ in first }
        let current = revisions.first?.id
        let width = revisions.map(\.id.count).max() ?? 0
        var shown: Set<String> = []
        // With version vectors, revisions known at remotes are on no branch.
        for leaf in revisions.filter(\.isLeaf) + revisions.filter({ !$0.isLeaf }) where !shown.contains(leaf.id) {
            var next: DocumentRevision? = leaf
            while let revision = next {
                guard shown.insert(revision.id).inserted else {
                    try output.line("  └ \(style.faint("from \(revision.id)"))")
                    break
                }
                let mark = revision.isLeaf ? "*" : "│"
                let text = revision.id
                let padding = String(repeating: " ", count: width - text.count)
                let remarks = self.remarks(revision, isCurrent: revision.id == current).joined(separator: ", ")
                // No spaces at the ends of lines.
                let end = remarks.isEmpty ? "" : "\(padding)  \(remarks)"
                try output.line("\(mark) \(revision.isLeaf ? style.bold(text) : TerminalText(text))\(end)")
                next = revision.parent.flatMap { byID[$0] }
            }
        }
    }

    private func remarks(_ revision: DocumentRevision, isCurrent: Bool) -> [String] {
        var result: [String] = []
        if isCurrent { result.append("current") }
        if revision.isDeleted { result.append("deleted") }
        if revision.isConflict { result.append("conflict") }
        if revision.isClosed { result.append("closed") }
        if revision.isRejected { result.append("rejected") }
        if revision.hasBlobs { result.append("has blobs") }
        if revision.hasBody, !isCurrent { result.append("body stored") }
        if revision.sequence > 0 { result.append("sequence \(revision.sequence)") }
        result += revision.remotes.map { "on remote \($0)" }
        return result
    }

    private func json(_ revision: DocumentRevision, isCurrent: Bool) -> String {
        JSONWriter.object([
            "rev": revision.id, "parent": revision.parent, "sequence": revision.sequence, "current": isCurrent, "leaf": revision.isLeaf,
            "deleted": revision.isDeleted, "conflict": revision.isConflict, "closed": revision.isClosed, "blobs": revision.hasBlobs,
            "body": revision.hasBody, "rejected": revision.isRejected, "remotes": revision.remotes,
        ]).string
    }
}
