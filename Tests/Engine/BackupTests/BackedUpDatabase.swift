import Backup
import CouchbaseLiteSwift
import DocumentStore
import Foundation
import TestSupport

/// A database with documents and blobs, and its backups, in a temporary directory.
struct BackedUpDatabase {
    let directory: TemporaryDirectory
    private(set) var key: EncryptionKey?

    init(encrypted: Bool = false) throws {
        directory = try TemporaryDirectory()
        key = encrypted ? .key(Data(repeating: 7, count: 32)) : nil
        try writing { database in
            let collection = try database.defaultCollection()
            for number in 0..<40 {
                let document = MutableDocument(id: "doc \(number)").setInt(number, forKey: "n")
                document.setString(String(repeating: "text \(number) ", count: 20), forKey: "text")
                if number % 10 == 0 {
                    document.setBlob(Blob(contentType: "text/plain", data: Self.content(number)), forKey: "blob")
                }
                try collection.save(document: document)
            }
        }
    }

    /// Half of the blobs can be compressed.
    private static func content(_ number: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(number))
        return number % 20 == 0
            ? Data(repeating: 65, count: 9_000) : Data((0..<9_000).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    var bundle: BundlePath { BundlePath(directory.path("db.cblite2")) }
    var file: String { directory.path("backup") }

    private func configuration() -> DatabaseConfiguration {
        let configuration = DatabaseConfiguration()
        configuration.directory = directory.path("")
        configuration.encryptionKey = key
        return configuration
    }

    /// Opens the database, or one that was restored, and closes it after `body`.
    func writing(_ name: String = "db", _ body: (Database) throws -> Void) throws {
        let database = try Database(name: name, config: configuration())
        try body(database)
        try database.close()
    }

    mutating func changeKey(to new: EncryptionKey?) throws {
        try writing { try $0.changeEncryptionKey(new) }
        key = new
    }

    var options: DatabaseFile.Options {
        var options = DatabaseFile.Options()
        options.key = key?.secret
        return options
    }

    func make() throws -> Backup.Summary { try Backup.make(of: bundle, options: options, to: file) }

    func add() throws -> Backup.Summary { try Backup.addIncrement(of: bundle, options: options, to: file) }

    @discardableResult
    func restore(_ name: String, section: Int? = nil, renewed: Bool = false) throws -> BackupSection {
        let bundle = BundlePath(directory.path(name + ".cblite2"))
        return try Backup.restore(file, section: section, to: bundle, renewedWith: renewed ? options : nil)
    }

    /// The documents of a database as JSON, with the contents of their blobs, by ID.
    func documents(_ name: String = "db") throws -> [String: String] {
        var found: [String: String] = [:]
        try writing(name) { database in
            let collection = try database.defaultCollection()
            let ids = try database.createQuery("SELECT meta().id FROM _").execute().compactMap { $0.string(at: 0) }
            for id in ids {
                let document = try collection.document(id: id)
                let blob = document?.blob(forKey: "blob").map { $0.content?.base64EncodedString() ?? "missing" } ?? ""
                found[id] = (document?.toJSON() ?? "") + blob
            }
        }
        return found
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file))) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: file)) }
}
