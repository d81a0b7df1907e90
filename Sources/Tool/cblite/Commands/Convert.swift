import ArgumentParser
import CouchbaseLiteSwift
import Fleece
import Foundation

/// `cblite convert`
struct Convert: DestinationCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a database with another encryption or form of revisions, or for an older release.",
        discussion: """
            The original may be in use and is not changed. With a new key or --decrypt, the copy is like that of cblite cp, with new \
            UUIDs; cblite rekey changes the database itself.

            With --release, the copy can be opened by Couchbase Lite 3.1, 3.0, or 2.8 and later; opening it for writing with a newer release \
            upgrades it. It has the UUIDs, documents with their revision trees, tombstones, expirations, blobs and replication \
            checkpoints of the original, and is not encrypted. Before 3.1 there is only the default collection. Indexes are not copied.

            With --to vectors, the copy, which has new UUIDs, names new revisions by version vectors, as Couchbase Lite 4 does. Each document is \
            converted by its next change. The database and the copy are checked as by cblite check, and there is no copy if an error is found. \
            Nor is there one if the database was replicated with a Sync Gateway before 4.0, or with a local database with revision trees, \
            because the copy could not be pushed there: upgrade these first and replicate once, or give --ignore-remotes.

            With --to trees, a database with version vectors is copied to one with revision trees, which \
            Couchbase Lite 3 can open: current revisions, conflicts as branches, tombstones, expirations and blobs. What is lost: the histories \
            of documents that have version vectors, whose revisions get new IDs, so that other databases take them for different ones; the \
            records of replications, which start from the beginning; indexes. The encryption stays. A revision whose history trees cannot hold is \
            printed as lost, and the exit code is 1.

            EXAMPLES:
              $ cblite convert travel.cblite2 secret.cblite2 --new-password
              $ cblite convert secret.cblite2 plain.cblite2 --password --decrypt
              $ cblite convert travel.cblite2 old.cblite2 --release 2.8
              $ cblite convert travel3.cblite2 travel4.cblite2 --to vectors
              $ cblite convert travel4.cblite2 travel3.cblite2 --to trees

            With --json, one object: from, to, encrypted; with --release also release, documents, tombstones, indexes; with --to also \
            revisions (vectors or trees), and for trees documents, tombstones, conflicts, renamed, indexes, and lost [{subject, message}] if \
            anything was lost.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp.destination, completion: .directory) var destination: String
    @OptionGroup var output: OutputOptions
    @OptionGroup var newKey: NewKeyOptions
    @Option(help: "The release that must be able to open the copy: 3.1, 3.0 or 2.8.") var release: FileRelease?
    @Option(help: "How revisions are named in the copy: vectors (as in release 4) or trees.") var to: RevisionForm?
    @Flag(help: "With --to vectors, copy although a remote side is known to serve revision trees only.") var ignoreRemotes = false

    enum RevisionForm: String, ExpressibleByArgument, CaseIterable {
        case vectors, trees
    }

    func validate() throws {
        guard newKey.count + (release == nil ? 0 : 1) + (to == nil ? 0 : 1) == 1 else {
            throw ValidationError("Give one of --new-key-file, --new-password-file, --new-password, --decrypt, --release and --to.")
        }
        guard !ignoreRemotes || to == .vectors else { throw ValidationError("--ignore-remotes is for --to vectors only.") }
    }

    func run() throws {
        let destination = try checkedDestination()
        let opening = try database.opening()
        if let to { return try to == .vectors ? upgrade(opening, destination) : convertToTrees(opening, destination) }
        guard let release else { return try changeKey(opening, destination) }
        let bar = ProgressBar("Converting", total: nil)
        let copy = try bar.whileInterruptible(kept: "No database was created.") { stop in
            try DowngradedCopy(opening, to: destination, release) { count in
                try stop.check()
                bar.update(count)
            }
        }
        var text: TerminalText = "Converted \(copy.documents.counted("document")) to \(destination), for release \(release.name)."
        if !copy.indexes.isEmpty { text += "\nIndexes to be created again: \(copy.indexes.joined(separator: ", "))" }
        try output.print(
            text,
            [
                "from": opening.path, "to": destination, "encrypted": false, "release": release.name, "documents": copy.documents,
                "tombstones": copy.tombstones, "indexes": copy.indexes,
            ]
        )
    }

    private func upgrade(_ opening: Opening, _ destination: String) throws {
        let bars = CheckBars()
        try ProgressBar("Converting", total: nil).whileInterruptible(kept: "No database was created.") { stop in
            defer { bars.finish() }
            try CopyWithVersions.make(opening, to: destination, ignoringRemotes: ignoreRemotes) { progress in
                try stop.check()
                bars.show(progress)
            }
        }
        try output.print(
            "Copied \(opening.path) to \(destination), with version vectors for new revisions.",
            ["from": opening.path, "to": destination, "encrypted": opening.key != nil, "revisions": "vectors"]
        )
    }

    private func convertToTrees(_ opening: Opening, _ destination: String) throws {
        let bar = ProgressBar("Converting", total: nil)
        let copy = try bar.whileInterruptible(kept: "No database was created.") { stop in
            try CopyWithTrees(opening, to: destination) { count in
                try stop.check()
                bar.update(count)
            }
        }
        let style = Style(for: .standardOutput)
        var text: TerminalText = ""
        for loss in copy.losses { text += "\(style.red("lost: "))\(loss.subject): \(loss.message)\n" }
        text += "Converted \(copy.documents.counted("document")) to \(destination), with revision trees."
        if copy.renamed > 0 {
            text += "\nRevisions with new IDs, without their histories: those of \(copy.renamed.counted("document")) including tombstones."
        }
        text += "\nReplications of the copy start from the beginning."
        if !copy.indexes.isEmpty { text += "\nIndexes to be created again: \(copy.indexes.joined(separator: ", "))" }
        try output.print(text) { writer in
            writer.members([
                "from": opening.path, "to": destination, "encrypted": opening.key != nil, "revisions": "trees", "documents": copy.documents,
                "tombstones": copy.tombstones, "conflicts": copy.conflicts, "renamed": copy.renamed, "indexes": copy.indexes,
            ])
            guard !copy.losses.isEmpty else { return }
            writer.objects("lost", copy.losses) { writer, loss in writer.members(["subject": loss.subject, "message": loss.message]) }
        }
        if !copy.losses.isEmpty { throw ExitCode(ExitReason.problemsFound.rawValue) }
    }

    private func changeKey(_ opening: Opening, _ destination: String) throws {
        let key = try newKey.key()
        try opening.copy(to: destination)
        do {
            let copy = Opening(path: destination, busyTimeout: opening.busyTimeout, key: opening.key)
            try copy.using(.writing) { try $0.changeEncryptionKey(key) }
        } catch {
            // The copy is not what was requested.
            try? FileManager.default.removeItem(atPath: destination)
            throw error
        }
        try output.print(
            "Copied \(opening.path) to \(destination), \(key == nil ? "decrypted" : "encrypted with the new key").",
            [
                "from": opening.path, "to": destination, "encrypted": key != nil,
            ]
        )
    }
}

extension FileRelease: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }

    static var allValueStrings: [String] { allNames }
}
