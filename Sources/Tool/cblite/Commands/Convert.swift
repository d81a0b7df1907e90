import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite convert`
struct Convert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copies a database with another encryption, or for an older release.",
        discussion: """
            The original may be in use and is not changed. With a new key or --decrypt, the copy is like that of cblite cp, with new \
            UUIDs; cblite rekey changes the database itself.

            With --release, the copy can be opened by Couchbase Lite 3.1, 3.0, or 2.8 and later; opening it for writing with a newer release \
            upgrades it. It has the UUIDs, documents with their revision trees, tombstones, expirations, blobs and replication \
            checkpoints of the original, and is not encrypted. Before 3.1 there is only the default collection. Indexes are not copied.

            EXAMPLES:
              $ cblite convert travel.cblite2 secret.cblite2 --new-password
              $ cblite convert secret.cblite2 plain.cblite2 --password --decrypt
              $ cblite convert travel.cblite2 old.cblite2 --release 2.8

            With --json, one object: from, to, encrypted; with --release also release, documents, tombstones, indexes.
            """
    )

    @OptionGroup var arguments: DestinationArguments
    @OptionGroup var newKey: NewKeyOptions
    @Option(help: "The release that must be able to open the copy: 3.1, 3.0 or 2.8.") var release: FileRelease?

    func validate() throws {
        guard newKey.count + (release == nil ? 0 : 1) == 1 else {
            throw ValidationError("Give one of --new-key-file, --new-password-file, --new-password, --decrypt and --release.")
        }
    }

    func run() throws {
        let destination = try arguments.checkedDestination()
        let opening = try arguments.database.opening()
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
        try arguments.output.print(
            text,
            [
                "from": opening.path, "to": destination, "encrypted": false, "release": release.name, "documents": copy.documents,
                "tombstones": copy.tombstones, "indexes": copy.indexes,
            ]
        )
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
        try arguments.output.print(
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
