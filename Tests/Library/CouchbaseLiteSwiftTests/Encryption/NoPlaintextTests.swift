import CouchbaseLiteSwift
import Foundation
import TestSupport
import Testing

/// Encryption is useless if a log, a journal, a temporary file or a file name contains plain text. Therefore every kind of data that
/// an app can store contains a marker, and all files are searched for the marker.
@Suite("Files of encrypted databases")
struct NoPlaintextTests {
    /// Occurs in IDs, keys, values, names and blobs, so often that every page contains it.
    private static let marker = "PLAINTEXT-marker"

    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    /// The files below the directory that have the marker in their content or name, or a page of another text that is stored.
    private func leaks() throws -> [String] {
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try files.filter { name in
            if name.contains(Self.marker) { return true }
            let url = folder.directory.url.appendingPathComponent(name)
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), !isDirectory.boolValue
            else { return false }
            let content = try Data(contentsOf: url)
            return ["SQLite format 3", "CREATE TABLE", "kv_default", Self.marker].contains {
                content.range(of: Data($0.utf8)) != nil
            }
        }
    }

    private func marked(_ number: Int) -> MutableDocument {
        MutableDocument(id: "\(Self.marker)-\(number)")
            .setString(String(repeating: "\(Self.marker) \(number) ", count: number % 300), forKey: "text")
            .setInt(number, forKey: "\(Self.marker)-\(number % 10)")
    }

    @Test("the files of an encrypted database never contain plain text")
    func neverReadable() throws {
        let config = folder.config
        config.encryptionKey = .key(Data(repeating: 1, count: 32))
        let database = try Database(name: "db", config: config)
        #expect(try leaks() == [])
        let collection = try database.createCollection(name: Self.marker)
        try collection.createIndex(withName: Self.marker, config: ValueIndexConfiguration(["text"]))
        for i in 0..<50 { try collection.save(document: marked(i)) }
        #expect(try leaks() == [])
        try database.inBatch {
            for i in 0..<3000 { try collection.save(document: marked(i)) }
            #expect(try leaks() == [])
        }
        let blob = Blob(contentType: "text/plain", data: Data(String(repeating: Self.marker, count: 20_000).utf8))
        try collection.save(document: MutableDocument(id: "blob").setBlob(blob, forKey: "blob"))
        let query = try database.createQuery("SELECT text FROM `\(Self.marker)` ORDER BY text DESC, meta().id")
        #expect(try query.execute().allResults().count == 3001)
        #expect(try leaks() == [])
        for type in [MaintenanceType.compact, .reindex, .optimize, .fullOptimize] {
            try database.performMaintenance(type: type)
            #expect(try leaks() == [])
        }
        try database.changeEncryptionKey(.key(Data(repeating: 2, count: 32)))
        #expect(try leaks() == [])
        try collection.delete(document: #require(try collection.document(id: "\(Self.marker)-7")))
        #expect(try leaks() == [])
        try database.close()
        #expect(try leaks() == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.bundle().path).contains("db.sqlite3"))
    }

    @Test("encrypting a database leaves no plain text in its files, and decrypting restores it")
    func changes() throws {
        let database = try folder.open()
        for i in 0..<50 { try database.saveDocument(marked(i)) }
        #expect(try !leaks().isEmpty)
        try database.changeEncryptionKey(.key(Data(repeating: 1, count: 32)))
        #expect(try leaks() == [])
        try database.changeEncryptionKey(nil)
        #expect(try !leaks().isEmpty)
        try database.close()
        #expect(try folder.problems() == [])
    }
}
