import Backup
import DocumentStore
import Fleece
import Foundation
import SQLiteEngine
import TestSupport
import Testing

/// A database with documents and blobs, and its backups, in a temporary directory.
struct BackedUpDatabase {
    let directory: TemporaryDirectory
    private(set) var key: EncryptionSecret?

    init(encrypted: Bool = false) throws {
        directory = try TemporaryDirectory()
        key = encrypted ? try Self.key(7) : nil
        try writing { database in
            for number in 0..<40 {
                let text = String(repeating: "text \(number) ", count: 20)
                try database.save(
                    "doc \(number)",
                    #""n":\#(number),"text":"\#(text)""#,
                    blob: number % 10 == 0 ? Self.content(number) : nil
                )
            }
        }
    }

    static func key(_ byte: UInt8) throws -> EncryptionSecret { try #require(EncryptionSecret(key: [UInt8](repeating: byte, count: 32))) }

    /// Half of the blobs can be compressed.
    private static func content(_ number: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(number))
        return number % 20 == 0
            ? [UInt8](repeating: 65, count: 9_000) : (0..<9_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    var bundle: BundlePath { bundle("db") }
    var file: String { directory.path("backup") }

    func bundle(_ name: String) -> BundlePath { BundlePath(directory.path(name + ".cblite2")) }

    var options: DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.key = key
        return options
    }

    /// Opens the database, or one that was restored, and closes it after `body`.
    func writing(_ name: String = "db", _ body: (WrittenDatabase) throws -> Void) throws {
        let database = try WrittenDatabase(bundle(name), options: options)
        try body(database)
        try DatabaseRegistry.close(database.file)
    }

    mutating func changeKey(to new: EncryptionSecret?) throws {
        try writing { try DatabaseRegistry.changeKey(of: $0.file, to: new) }
        key = new
    }

    func make() throws -> Backup.Summary { try Backup.make(of: bundle, options: options, to: file) }

    func add() throws -> Backup.Summary { try Backup.addIncrement(of: bundle, options: options, to: file) }

    @discardableResult
    func restore(_ name: String, section: Int? = nil, renewed: Bool = false) throws -> BackupSection {
        try Backup.restore(file, section: section, to: bundle(name), renewedWith: renewed ? options : nil)
    }

    /// The documents of a database as JSON, with the contents of their blobs, by ID.
    func documents(_ name: String = "db") throws -> [String: String] {
        var found: [String: String] = [:]
        try writing(name) { found = try $0.documents() }
        return found
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file))) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: file)) }
}

/// An open database with JSON documents in its default collection, each with at most one blob.
struct WrittenDatabase {
    let file: DatabaseFile
    let collection: CollectionStore

    init(_ bundle: BundlePath, options: DatabaseFile.Options) throws {
        file = try DatabaseRegistry.open(bundle.directory, options: options)
        collection = try #require(try file.collection(.default))
    }

    /// Saves a document with the members of an object.
    func save(_ id: String, _ members: String, blob: [UInt8]? = nil) throws {
        try file.transaction { try save(id, members, blob: blob, in: $0) }
    }

    func save(_ id: String, _ members: String, blob: [UInt8]? = nil, in writer: Writer) throws {
        let reference = try blob.map { content in
            #""blob":{"@type":"blob","digest":"\#(try file.blobs.store(content).string)","length":\#(content.count)}"#
        }
        let json = "{" + [members, reference ?? ""].filter { !$0.isEmpty }.joined(separator: ",") + "}"
        _ = try collection.save(DocumentSave(id, base: .latest), in: writer) { encoder in
            try Array(json.utf8).withUnsafeBytes { bytes in try JSON.parse(bytes, into: &encoder) }
            return blob != nil
        }
    }

    func purge(_ id: String) throws { _ = try file.transaction { try collection.purge(id, in: $0) } }

    func documents() throws -> [String: String] {
        var found: [String: String] = [:]
        try collection.forEachDocument { document in
            let json = try document.body.withRoot { root in
                try JSON.string(root, sharedKeys: document.sharedKeys, form: .canonical)
            }
            let digests = document.body.root.map { BlobReferences.digests(in: $0, sharedKeys: document.sharedKeys) } ?? []
            let contents = try digests.map { try file.blobs.contents(of: $0).map { Data($0).base64EncodedString() } ?? "missing" }
            found[document.id] = (json ?? "damaged") + contents.joined()
            return true
        }
        return found
    }
}
