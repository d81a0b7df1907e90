import CouchbaseLiteSwift
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@Suite("Opening, closing, deleting and copying databases")
struct OpeningTests {
    let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    // MARK: Names and places

    @Test(
        "names of databases have 1 to 240 bytes and no slash",
        arguments: ["a", "ä .:%?", "-", "...", String(repeating: "x", count: 240)]
    )
    func goodNames(_ name: String) throws {
        let database = try folder.open(name)
        #expect(database.name == name)
        #expect(database.path == folder.bundle(name).path + "/")
        #expect(Database.exists(withName: name, inDirectory: folder.path))
        try database.delete()
        #expect(try folder.contents == [])
    }

    @Test(
        "invalid names of databases are refused, and no files are created",
        arguments: [
            "", ".", "..", "a/b", "/", "a\0b", String(repeating: "x", count: 241), String(repeating: "ä", count: 121),
        ]
    )
    func badNames(_ name: String) throws {
        #expect(thrown { _ = try folder.open(name) } == .invalidParameter)
        #expect(thrown { try Database.delete(withName: name, inDirectory: folder.path) } == .invalidParameter)
        #expect(!Database.exists(withName: name, inDirectory: folder.path))
        try folder.open("source").close()
        let source = folder.bundle("source").path
        #expect(
            thrown { try Database.copy(fromPath: source, toDatabase: name, withConfig: folder.config) }
                == .invalidParameter
        )
        #expect(try folder.contents == ["source.cblite2"])
    }

    @Test("missing parent directories are created")
    func parents() throws {
        let config = folder.config
        config.directory = folder.path + "/a/b c/d"
        let database = try Database(name: "db", config: config)
        #expect(database.path == folder.path + "/a/b c/d/db.cblite2/")
        #expect(Database.exists(withName: "db", inDirectory: config.directory))
    }

    @Test("a database copies its configuration when it is set and when it is read")
    func configuration() throws {
        let config = folder.config
        config.fullSync = true
        config.mmapEnabled = false
        let database = try Database(name: "db", config: config)
        config.directory = "/elsewhere"
        config.fullSync = false
        #expect(database.config.directory == folder.path)
        #expect(database.config.fullSync)
        #expect(!database.config.mmapEnabled)
        database.config.fullSync = false
        #expect(database.config.fullSync)
        let copy = DatabaseConfiguration(config: database.config)
        #expect(copy.directory == folder.path)
        #expect(copy.fullSync)
        #expect(!copy.mmapEnabled)
        #expect(DatabaseConfiguration().fullSync == DatabaseConfiguration.defaultFullSync)
        #expect(DatabaseConfiguration(config: nil).mmapEnabled)
    }

    @Test("a database file is recognized under different spellings of its path")
    func paths() throws {
        let link = folder.path + "/link"
        let real = folder.path + "/real"
        try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
        let databases = try [real, link, real + "/", real + "/../real"].map { directory in
            let config = DatabaseConfiguration()
            config.directory = directory
            return try Database(name: "db", config: config)
        }
        try databases[1].saveDocument(MutableDocument(id: "a"))
        #expect(databases.map(\.count) == [1, 1, 1, 1])
        #expect(Set(databases.map(\.path)).count == 1)
        #expect(thrown { try databases[2].delete() } == .busy)
    }

    // MARK: Closing

    @Test("closing a database twice is no error, and its name and configuration remain")
    func closed() throws {
        let database = try folder.open()
        try database.saveDocument(MutableDocument(id: "a"))
        try database.close()
        try database.close()
        #expect(database.path == nil)
        #expect(database.name == "db")
        #expect(database.config.directory == folder.path)
        #expect(database.count == 0)
        do {
            _ = try database.defaultScope()
            Issue.record("a closed database has a scope")
        } catch let error as NSError {
            #expect(
                error.localizedDescription
                    == "Attempt to perform an operation on a closed database or a deleted collection."
            )
            #expect(error.localizedFailureReason?.contains("\"db\"") == true)
        }
    }

    @Test("functions of a closed database throw notOpen, and those that cannot throw return empty values")
    func afterClosing() throws {
        let database = try folder.open()
        let collection = try database.createCollection(name: "things")
        let scope = try database.defaultScope()
        let document = MutableDocument(id: "a").setInt(1, forKey: "n")
        let other = MutableDocument(id: "b")
        try database.saveDocument(document)
        try collection.save(document: other)
        let read = try #require(database.document(withID: "a"))
        try database.close()

        let throwing: [(String, () throws -> Void)] = [
            ("save", { try database.saveDocument(document) }),
            ("save with control", { try database.saveDocument(document, concurrencyControl: .failOnConflict) }),
            ("save with handler", { try database.saveDocument(document) { _, _ in true } }),
            ("delete", { try database.deleteDocument(document) }),
            ("purge", { try database.purgeDocument(document) }),
            ("purge a new one", { try database.purgeDocument(MutableDocument()) }),
            ("purge by ID", { try database.purgeDocument(withID: "a") }),
            ("expiration", { try database.setDocumentExpiration(withID: "a", expiration: nil) }),
            ("batch", { try database.inBatch { Issue.record("a batch ran on a closed database") } }),
            ("delete database", { try database.delete() }),
            ("maintenance", { try database.performMaintenance(type: .compact) }),
            ("save blob", { try database.saveBlob(blob: Blob(contentType: "text/plain", data: Data("x".utf8))) }),
            ("default scope", { _ = try database.defaultScope() }),
            ("default collection", { _ = try database.defaultCollection() }),
            ("scopes", { _ = try database.scopes() }),
            ("scope", { _ = try database.scope(name: "_default") }),
            ("collections", { _ = try database.collections() }),
            ("collection", { _ = try database.collection(name: "things") }),
            ("create collection", { _ = try database.createCollection(name: "more") }),
            ("delete collection", { try database.deleteCollection(name: "things") }),
            ("scope's collections", { _ = try scope.collections() }),
            ("scope's collection", { _ = try scope.collection(name: "things") }),
            ("collection's document", { _ = try collection.document(id: "b") }),
            ("collection's save", { try collection.save(document: other) }),
            ("collection's delete", { try collection.delete(document: other) }),
            ("collection's purge", { try collection.purge(document: other) }),
            ("collection's expiration", { _ = try collection.getDocumentExpiration(id: "b") }),
        ]
        for (name, body) in throwing { #expect(thrown(body) == .notOpen, "\(name)") }

        #expect(database.document(withID: "a") == nil)
        #expect(!database["a"].exists)
        #expect(database.getDocumentExpiration(withID: "a") == nil)
        #expect(collection.count == 0)
        #expect(!collection["b"].exists)
        #expect(read._getRevisionHistory() == nil)
        database.removeChangeListener(withToken: collection.addChangeListener { _ in })
        #expect(read.int(forKey: "n") == 1, "what was read stays readable")
        #expect(read.collection?.database === database)
    }

    @Test("a database cannot be closed or deleted inside a batch, which continues")
    func closingInBatch() throws {
        let database = try folder.open()
        let second = try folder.open()
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "a"))
            #expect(thrown { try database.close() } == .transactionNotClosed)
            #expect(thrown { try second.close() } == .transactionNotClosed)
            #expect(thrown { try database.delete() } == .transactionNotClosed)
            try database.saveDocument(MutableDocument(id: "b"))
        }
        #expect(database.count == 2)
        try second.close()
        try database.close()
    }

    @Test("another object of the file can be released inside a batch")
    func releasingInBatch() throws {
        let database = try folder.open()
        try database.inBatch {
            try database.saveDocument(MutableDocument(id: "a"))
            #expect(try folder.open().count == 0)
            try database.saveDocument(MutableDocument(id: "b"))
        }
        #expect(database.count == 2)
        try database.delete()
        #expect(try folder.contents == [])
    }

    @Test("closing waits for the batch of another thread, and this thread may open databases during the batch")
    func closingWaits() throws {
        let database = try folder.open()
        let inside = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let go = DispatchSemaphore(value: 0)
        let folder = folder
        Thread.detachNewThread {
            #expect(throws: Never.self) {
                try database.inBatch {
                    inside.signal()
                    go.wait()
                    for number in 0..<20 {
                        try database.saveDocument(MutableDocument(id: "\(number)"))
                        try folder.open("other\(number)").close()
                    }
                }
            }
            ended.signal()
        }
        inside.wait()
        go.signal()
        try database.close()
        #expect(database.path == nil)
        ended.wait()
        #expect(try folder.open().count == 20)
    }

    @Test("a database is closed when its last reference is released")
    func lastReference() throws {
        var database: Database? = try folder.open()
        weak let watched = database
        var document =
            try #require(
                try database.map { database in
                    try database.saveDocument(MutableDocument(id: "a"))
                    return database.document(withID: "a")
                } ?? nil
            ) as Document?
        database = nil
        #expect(watched != nil, "a document keeps its database")
        #expect(thrown { try Database.delete(withName: "db", inDirectory: folder.path) } == .busy)
        _ = document?.id
        document = nil
        #expect(watched == nil)
        try Database.delete(withName: "db", inDirectory: folder.path)
        #expect(try folder.contents == [])
    }

    // MARK: Deleting

    @Test("deleting a database removes all files, and is refused while another object has it open")
    func deleting() throws {
        let first = try folder.open()
        let second = try folder.open()
        try first.saveDocument(MutableDocument(id: "a"))
        #expect(thrown { try first.delete() } == .busy)
        #expect(thrown { try Database.delete(withName: "db", inDirectory: folder.path) } == .busy)
        #expect(first.count == 1, "a refused deletion changes nothing")
        try second.close()
        try first.delete()
        #expect(first.path == nil)
        #expect(try folder.contents == [])
        #expect(!Database.exists(withName: "db", inDirectory: folder.path))
        #expect(try folder.open().count == 0)
    }

    @Test("deleting a missing database is no error, and a file that is no database is not deleted")
    func deletingNothing() throws {
        try Database.delete(withName: "db", inDirectory: folder.path)
        try Data("precious".utf8).write(to: folder.bundle("file"))
        #expect(
            thrown { try Database.delete(withName: "file", inDirectory: folder.path) }
                == .couchbaseLite(CBLError.wrongFormat)
        )
        #expect(!Database.exists(withName: "file", inDirectory: folder.path))
        #expect(try Data(contentsOf: folder.bundle("file")) == Data("precious".utf8))
    }

    // MARK: Paths that are no good

    enum Obstacle: String, CaseIterable {
        case file, parentIsFile, text, emptyPages, foreignTables, truncated, encrypted, tooNew, tooOld
    }

    @Test("opening an invalid path or file throws the error of its cause", arguments: Obstacle.allCases)
    func obstacles(_ obstacle: Obstacle) throws {
        let files = FileManager.default
        let sqlite = folder.bundle().appendingPathComponent("db.sqlite3")
        let config = folder.config
        func write(_ bytes: [UInt8]) throws {
            try files.createDirectory(at: folder.bundle(), withIntermediateDirectories: true)
            try Data(bytes).write(to: sqlite)
        }
        func patch(_ offset: Int, _ bytes: [UInt8]) throws {
            try folder.open().close()
            var data = try Data(contentsOf: sqlite)
            data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            try data.write(to: sqlite)
        }
        let expected: ErrorCode
        switch obstacle {
        case .file:
            try Data().write(to: folder.bundle())
            expected = .couchbaseLite(CBLError.wrongFormat)
        case .parentIsFile:
            try Data().write(to: folder.directory.url.appendingPathComponent("plain"))
            config.directory = folder.path + "/plain/sub"
            expected = .posix(ENOTDIR)
        case .text:
            try write(Array("this is no database, but long enough to look at".utf8))
            expected = .couchbaseLite(CBLError.unreadableDatabase)
        case .emptyPages:
            try write(Array(repeating: 0, count: 8192))
            expected = .couchbaseLite(CBLError.unreadableDatabase)
        case .foreignTables:
            // A header says version 0 for a file with a table.
            try patch(60, [0, 0, 0, 0])
            expected = .couchbaseLite(CBLError.wrongFormat)
        case .truncated:
            try folder.open().close()
            try Data(Data(contentsOf: sqlite).prefix(5000)).write(to: sqlite)
            expected = .couchbaseLite(CBLError.corruptData)
        case .encrypted:
            var bytes = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
            bytes.replaceSubrange(16..<18, with: [0x10, 0x00])
            try write(bytes)
            expected = .couchbaseLite(CBLError.unreadableDatabase)
        case .tooNew:
            try patch(60, [0, 0, 3, 0xE7])
            expected = .couchbaseLite(CBLError.databaseTooNew)
        case .tooOld:
            try patch(60, [0, 0, 0, 17])
            expected = .couchbaseLite(CBLError.databaseTooOld)
        }
        for _ in 1...2 {
            #expect(thrown { _ = try Database(name: "db", config: config) } == expected)
        }
        if obstacle != .parentIsFile { #expect(try folder.contents == ["db.cblite2"]) }
    }

    // MARK: Copying

    @Test("a copy of an open database has its documents and blobs, and identifiers of its own")
    func copying() throws {
        let original = try folder.open("original")
        let blob = Blob(contentType: "text/plain", data: Data("content".utf8))
        try original.saveDocument(MutableDocument(id: "a").setBlob(blob, forKey: "blob"))
        let path = try #require(original.path)
        try Database.copy(fromPath: path, toDatabase: "copy", withConfig: folder.config)
        try original.saveDocument(MutableDocument(id: "b"))
        let copy = try folder.open("copy")
        #expect(copy.count == 1)
        #expect(copy.document(withID: "a")?.blob(forKey: "blob")?.content == Data("content".utf8))
        #expect(copy.document(withID: "a")?.revisionID == original.document(withID: "a")?.revisionID)
        let identifiers = try [original, copy].map { database in
            try ["publicUUID", "privateUUID"].map { try storedInfo($0, of: database) }
        }
        #expect(Set(identifiers.flatMap { $0 }).count == 4)
        #expect(!identifiers.flatMap { $0 }.contains(nil))
        try copy.close()
        #expect(try folder.problems("copy") == [])
        #expect(try folder.contents == ["copy.cblite2", "original.cblite2"])
    }

    @Test("copying fails for an existing destination or an invalid source, and leaves no files")
    func failingCopies() throws {
        try folder.open("original").close()
        try folder.open("taken").close()
        try Data("x".utf8).write(to: folder.bundle("file"))
        try FileManager.default.createDirectory(at: folder.bundle("empty"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(at: folder.bundle("broken"), withIntermediateDirectories: false)
        try Data("no database at all".utf8).write(to: folder.bundle("broken").appendingPathComponent("db.sqlite3"))
        let before = try folder.contents
        func copy(_ source: String, _ destination: String) -> ErrorCode? {
            thrown {
                try Database.copy(fromPath: folder.bundle(source).path, toDatabase: destination, withConfig: folder.config)
            }
        }
        #expect(copy("original", "taken") == .posix(EEXIST))
        #expect(copy("original", "file") == .posix(EEXIST))
        #expect(copy("original", "original") == .posix(EEXIST))
        #expect(copy("missing", "new") == .notFound)
        #expect(copy("missing", "taken") == .notFound)
        #expect(copy("empty", "new") == .notFound)
        #expect(copy("broken", "new") == .couchbaseLite(CBLError.unreadableDatabase))
        #expect(try folder.contents == before)
        #expect(try folder.open("taken").count == 0)
    }

    @Test("copying creates the missing directory of its configuration")
    func copyIntoNewDirectory() throws {
        try folder.open("original").close()
        let config = folder.config
        config.directory = folder.path + "/new/place"
        try Database.copy(fromPath: folder.bundle("original").path + "/", toDatabase: "copy", withConfig: config)
        #expect(Database.exists(withName: "copy", inDirectory: config.directory))
    }

    private func storedInfo(_ key: String, of database: Database) throws -> Data? {
        let path = try #require(database.path)
        let connection = try Connection(path: path + "db.sqlite3", mode: .readOnly)
        let statement = try connection.prepare("SELECT body FROM kv_info WHERE key = ?")
        try statement.bindText(key, at: 1)
        return try statement.step() ? Data(statement.blob(at: 0)) : nil
    }
}
