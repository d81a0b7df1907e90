import ArgumentParser
import CouchbaseLiteSwift
import Fleece

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
            try output.line(json: report.json)
        } else {
            try report.print(to: output)
        }
        try output.flush()
    }
}

extension DatabaseReport {
    fileprivate var json: String {
        JSONWriter.object { writer in
            writer.members([
                "path": path, "version": version.number, "release": version.release, "size": size, "publicUUID": uuids.publicID,
                "privateUUID": uuids.privateID, "sharedKeys": sharedKeys,
            ])
            writer.object("blobs", ["count": blobs.count, "size": blobs.size])
            writer.objects("collections", collections) { writer, collection in
                writer.members([
                    "name": collection.name, "documents": collection.counts.documents, "tombstones": collection.counts.tombstones,
                    "lastSequence": collection.lastSequence,
                ])
            }
            writer.objects("indexes", indexes) { writer, index in
                writer.members(["collection": index.collection, "name": index.name])
            }
        }.string
    }

    fileprivate func print(to output: Output) throws {
        let style = output.style
        func line(_ title: String, _ text: String) throws { try output.line("\(style.bold(title.padded(to: 14)))\(text)") }
        try line("Path", path)
        try line("Version", "\(version.number), as of release \(version.release)")
        try line("Size", size.asByteCount)
        try line("Blobs", "\(blobs.count.grouped), \(blobs.size.asByteCount)")
        try line("Shared keys", sharedKeys.grouped)
        try line("Public UUID", uuids.publicID ?? "none")
        try line("Private UUID", uuids.privateID ?? "none")
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
                collection.name, collection.counts.documents.grouped, collection.counts.tombstones.grouped,
                collection.lastSequence.grouped,
            ])
        }
        try table.finish()
    }
}
