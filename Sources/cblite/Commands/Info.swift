import ArgumentParser
import CouchbaseLiteSwift

/// `cblite info`
struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the version, size and contents of a database.",
        discussion: """
            EXAMPLES:
              $ cblite info travel.cblite2
              $ cblite info --json travel

            With --json, one object: path, version, release, size (of the database file and its log, in bytes), publicUUID and \
            privateUUID (hexadecimal, or null), sharedKeys (their number), blobs {count, size}, collections [{name, documents, \
            tombstones, lastSequence}], indexes [{collection, name}].
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let report = try DatabaseReport(database.opening())
        let output = Output()
        if self.output.json {
            try output.line(report.json)
        } else {
            try report.print(to: output)
        }
        try output.flush()
    }
}

extension DatabaseReport {
    fileprivate var json: String {
        JSONPrinter.object { printer in
            printer.member("path", path)
            printer.member("version", version)
            printer.member("release", release)
            printer.member("size", size)
            printer.member("publicUUID", publicUUID)
            printer.member("privateUUID", privateUUID)
            printer.member("sharedKeys", sharedKeys)
            printer.object("blobs") { printer in
                printer.member("count", blobCount)
                printer.member("size", blobSize)
            }
            printer.objects("collections", collections) { printer, collection in
                printer.member("name", collection.name)
                printer.member("documents", collection.documents)
                printer.member("tombstones", collection.tombstones)
                printer.member("lastSequence", collection.lastSequence)
            }
            printer.objects("indexes", indexes) { printer, index in
                printer.member("collection", index.collection)
                printer.member("name", index.name)
            }
        }
    }

    fileprivate func print(to output: Output) throws {
        let style = output.style
        func line(_ title: String, _ text: String) throws {
            try output.line(style.bold(title.padded(to: 14)) + text)
        }
        try line("Path", path)
        try line("Version", "\(version), as of release \(release)")
        try line("Size", size.asByteCount)
        try line("Blobs", "\(blobCount.grouped), \(blobSize.asByteCount)")
        try line("Shared keys", sharedKeys.grouped)
        try line("Public UUID", publicUUID ?? "none")
        try line("Private UUID", privateUUID ?? "none")
        let names = indexes.map {
            $0.collection == DocumentCollection.defaultFullName ? $0.name : "\($0.collection)/\($0.name)"
        }
        try line("Indexes", names.isEmpty ? "none" : names.joined(separator: ", "))
        try output.newline()
        let table = Table(
            [("Collection", .left), ("Documents", .right), ("Tombstones", .right), ("Last sequence", .right)],
            to: output
        )
        for collection in collections {
            try table.add([
                collection.name, collection.documents.grouped, collection.tombstones.grouped,
                collection.lastSequence.grouped,
            ])
        }
        try table.finish()
    }
}
