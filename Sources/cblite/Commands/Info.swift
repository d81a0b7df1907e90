import ArgumentParser
import DocumentStore
import ExactStrings
import Fleece
import Foundation
import QueryEngine

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
        let report = try database.reading(isBounded: true) { try Report($0) }
        let output = Output()
        if self.output.json {
            try output.line(report.json)
        } else {
            try report.print(to: output)
        }
        try output.flush()
    }
}

private struct Report {
    struct Collection {
        let name: String
        let documents: UInt64
        let tombstones: UInt64
        let lastSequence: UInt64
    }

    let path: String
    let version: FileVersion
    let size: UInt64
    let publicUUID: String?
    let privateUUID: String?
    let sharedKeys: Int
    let blobCount: Int
    let blobSize: UInt64
    let collections: [Collection]
    let indexes: [(collection: String, name: String)]

    init(_ file: DatabaseFile) throws {
        path = file.bundle.directory
        version = file.versionFound
        size = file.sizeOnDisk
        publicUUID = try file.publicUUID().map(\.hexadecimal)
        privateUUID = try file.privateUUID().map(\.hexadecimal)
        sharedKeys = try file.sharedKeys.count
        let blobs = try file.blobs.digests()
        blobCount = blobs.count
        blobSize = try blobs.reduce(0) { try $0 + (file.blobs.size(of: $1) ?? 0) }
        collections = try file.collectionIDs().compactMap { id in
            guard let collection = try file.collection(id) else { return nil }
            return Collection(
                name: id.fullName,
                documents: try collection.count(),
                tombstones: try collection.deletedCount(),
                lastSequence: try collection.lastSequence()
            )
        }
        let registry = IndexRegistry(file)
        indexes = try file.collectionIDs().flatMap { id in
            try file.collection(id).map { try registry.indexes(of: $0).map { (id.fullName, $0.name) } } ?? []
        }
    }

    var json: String {
        JSONPrinter.object { printer in
            printer.member("path", path)
            printer.member("version", version.number)
            printer.member("release", version.introducedBy)
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

    func print(to output: Output) throws {
        let style = Style(for: .standardOutput)
        func line(_ title: String, _ text: String) throws {
            try output.line(style.bold(title.padded(to: 14)) + text)
        }
        try line("Path", path)
        try line("Version", "\(version.number), as of release \(version.introducedBy)")
        try line("Size", size.asByteCount)
        try line("Blobs", "\(blobCount.grouped), \(blobSize.asByteCount)")
        try line("Shared keys", sharedKeys.grouped)
        try line("Public UUID", publicUUID ?? "none")
        try line("Private UUID", privateUUID ?? "none")
        let names = indexes.map {
            $0.collection == CollectionID.default.fullName ? $0.name : "\($0.collection)/\($0.name)"
        }
        try line("Indexes", names.isEmpty ? "none" : names.joined(separator: ", "))
        try output.newline()
        var table = Table([
            ("Collection", .left), ("Documents", .right), ("Tombstones", .right), ("Last sequence", .right),
        ])
        for collection in collections {
            table.add([
                collection.name, collection.documents.grouped, collection.tombstones.grouped,
                collection.lastSequence.grouped,
            ])
        }
        try table.print(to: output, style: style)
    }
}
