import Base
import Foundation
import LogOutput
import SQLiteEngine
import TestSupport
import TestTraits
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Log messages of the library")
    struct Events {
        let log = FreshLog()
        let sink = KeepingSink()
        let folder: DatabaseFolder

        init() throws {
            folder = try DatabaseFolder()
        }

        /// The messages about the databases in the folder at a level, with shortened paths.
        private func said(_ level: LogLevel = .info, _ body: () throws -> Void) rethrows -> [String] {
            LogSinks.custom = CustomLogSink(level: level, logSink: sink)
            defer { LogSinks.custom = nil }
            try body()
            return sink.messages(with: folder.path).map { $0.text.replacing(folder.path + "/", with: "") }
        }

        @Test("a test can log a message as the library does")
        func ownMessages() {
            let said = said {
                Log.log(domain: .query, level: .warning, message: "hello \(folder.path)/x")
                Log.log(domain: .query, level: .verbose, message: "too detailed \(folder.path)/x")
                Log.log(domain: .query, level: .none, message: "nothing \(folder.path)/x")
            }
            #expect(said == ["hello x"])
        }

        @Test("creating, opening, closing, copying and deleting a database is logged")
        func lives() throws {
            let said = try said {
                try folder.open().close()
                let (one, other) = (try folder.open(), try folder.open())
                try one.close()
                try other.close()
                try Database.copy(fromPath: folder.bundle().path, toDatabase: "copy", withConfig: folder.config)
                try folder.open().delete()
                try Database.delete(withName: "copy", inDirectory: folder.path)
            }
            #expect(
                said.filter { !$0.contains(".replacing-") } == [
                    "created the database at db.cblite2",
                    "closed the database at db.cblite2",
                    "opened the database at db.cblite2, file version 503",
                    "closed the database at db.cblite2",
                    "copied the database at db.cblite2 to copy.cblite2",
                    "opened the database at db.cblite2, file version 503",
                    "deleted the database at db.cblite2",
                    "deleted the database at copy.cblite2",
                ]
            )
        }

        @Test("the upgrade of a database file is logged with its previous version")
        func upgrades() throws {
            _ = try folder.directory.copy(RealDatabase.url("v2.8"))
            let said = try said { try folder.open("v2.8").close() }
            #expect(said.first?.contains(/^upgraded the database at v2.8.cblite2 from file version \d+ to 503$/) == true)
        }

        @Test("opening a database that was not closed properly is logged")
        func recovery() throws {
            let database = try folder.open()
            try database.saveDocument(MutableDocument())
            try FileManager.default.copyItem(at: folder.bundle(), to: folder.bundle("crashed"))
            try database.close()
            let said = try said { try folder.open("crashed").close() }
            #expect(
                said.first?.contains(/^the database at crashed.cblite2 was not closed in order.*log of \d+ bytes$/)
                    == true
            )
        }

        @Test("the indexes that are rebuilt on opening are named in one line, and nothing is logged if none is")
        func rebuiltIndexes() throws {
            let database = try folder.open()
            try database.defaultCollection().createIndex(withName: "byName", config: ValueIndexConfiguration(["name COLLATE UNICODE"]))
            try database.close()
            var count = 0
            /// The new messages about rebuilt indexes.
            func rebuilt() throws -> [String] {
                let all = try said { try folder.open().close() }.filter { $0.hasPrefix("rebuilt") }
                defer { count = all.count }
                return Array(all.dropFirst(count))
            }
            func execute(_ sql: String) throws {
                let connection = try Connection(path: folder.bundle().path + "/db.sqlite3", mode: .readWrite)
                defer { try? connection.close() }
                try connection.execute(sql)
            }
            #expect(try rebuilt() == [])
            try execute("DELETE FROM kv_info WHERE key GLOB 'CouchbaseLiteSwift.index*:*'")
            let found = try rebuilt()
            #expect(found.count == 1)
            let start = #"rebuilt indexes of collection _default._default of the database at db.cblite2: "byName". They depend on"#
            #expect(found.first?.hasPrefix(start) == true, "\(found)")
            #expect(try rebuilt() == [])
            // A file of an earlier version, none of whose indexes is trusted.
            try execute("DELETE FROM kv_info WHERE key = 'CouchbaseLiteSwift.indexFormat'")
            let earlier = try rebuilt()
            #expect(earlier.count == 1)
            #expect(earlier.first?.hasPrefix("rebuilt the indexes of the database at db.cblite2") == true, "\(earlier)")
        }

        @Test("creating and deleting collections and indexes is logged, and so is maintenance")
        func contents() throws {
            let database = try folder.open()
            let said = try said {
                _ = try database.createCollection(name: "people", scope: "all")
                _ = try database.createCollection(name: "people", scope: "all")
                for _ in 0..<2 { try database.createIndex(ValueIndexConfiguration(["name"]), name: "byName") }
                for _ in 0..<2 { try database.deleteIndex(forName: "byName") }
                try database.deleteCollection(name: "people", scope: "all")
                try database.saveBlob(blob: Blob(contentType: "text/plain", data: Data("unused".utf8)))
                for type: MaintenanceType in [.compact, .reindex, .optimize, .fullOptimize, .integrityCheck] {
                    try database.performMaintenance(type: type)
                }
            }
            #expect(
                said == [
                    "created collection all.people of the database at db.cblite2",
                    "created index \"byName\" of collection _default._default of the database at db.cblite2",
                    "deleted index \"byName\" of collection _default._default of the database at db.cblite2",
                    "deleted collection all.people of the database at db.cblite2",
                    "compacted the database at db.cblite2, 1 blobs removed",
                    "rebuilt the indexes of the database at db.cblite2",
                    "updated the statistics of the database at db.cblite2",
                    "updated the statistics of the database at db.cblite2",
                    "checked the database at db.cblite2: 0 errors",
                ]
            )
        }

        @Test("at verbose level a query's compilation and each of its rows as a JSON array are logged")
        func queries() throws {
            let database = try folder.open()
            for id in ["ä", "b"] { try database.saveDocument(MutableDocument(id: id).setString("Zoë 🙂", forKey: "name")) }
            LogSinks.custom = CustomLogSink(level: .verbose, domains: .query, logSink: sink)
            let query = try database.createQuery("SELECT name, gone, meta().id FROM _ WHERE name = 'Zoë 🙂' ORDER BY meta().id")
            _ = try query.execute()
            LogSinks.custom = nil
            let messages = sink.messages(with: "Zoë")
            #expect(messages.count == 4)
            #expect(messages.allSatisfy { $0.level == .verbose && $0.domain == .query })
            #expect(messages.first?.text.hasPrefix("compiled {") == true)
            #expect(messages.dropFirst().first?.text.hasPrefix("ran ") == true)
            #expect(messages.dropFirst().first?.text.hasSuffix(" µs: 2 rows") == true)
            #expect(messages.suffix(2).map(\.text) == [#"row 1: ["Zoë 🙂",null,"b"]"#, #"row 2: ["Zoë 🙂",null,"ä"]"#])
        }

        @Test("a stored top-level property with a leading underscore is logged as a warning, once for each name")
        func privateProperties() throws {
            let database = try folder.open()
            let collection = try database.createCollection(name: "c")
            LogSinks.custom = CustomLogSink(level: .warning, logSink: sink)
            defer { LogSinks.custom = nil }
            for id in ["a", "b"] {
                let document = MutableDocument(id: id).setInt(1, forKey: "_lost").setInt(1, forKey: "_a name that is no shared key")
                document.setValue(["_deep": 1], forKey: "nested").setValue([String: Any](), forKey: "_attachments")
                try collection.save(document: document.setInt(1, forKey: "plain_"))
            }
            #expect(
                sink.messages(with: "replication does not preserve").map(\.text).sorted() == [
                    "document \"a\" of _default.c has the top-level property \"_a name that is no shared key\", \(Self.loss)",
                    "document \"a\" of _default.c has the top-level property \"_lost\", \(Self.loss)",
                ]
            )
            // Changes that are rolled back were not saved.
            struct Oops: Error {}
            _ = try? database.inBatch {
                try database.saveDocument(MutableDocument(id: "x").setInt(1, forKey: "_taken_back"))
                throw Oops()
            }
            #expect(sink.messages(with: "_taken_back").isEmpty)
            try database.inBatch {
                try database.saveDocument(MutableDocument(id: "x").setInt(1, forKey: "_taken_back"))
                #expect(sink.messages(with: "_taken_back").isEmpty)
            }
            #expect(sink.messages(with: "_taken_back").count == 1)
            #expect(
                thrown { try database.saveDocument(MutableDocument(id: "y").setInt(1, forKey: "_id")) }
                    == .invalidParameter
            )
        }

        private static let loss =
            "which replication does not preserve: names that begin with an underscore are reserved for the protocol, so the property is "
            + "pushed, but dropped by the clients that pull it"

        @Test("a resolver's document with another ID is logged as a warning with the message of Couchbase Lite")
        func otherID() throws {
            #if Replication
            let collection = try folder.open().defaultCollection()
            let documents = ConflictedDocuments(collection: collection)
            try documents.make("mine")
            LogSinks.custom = CustomLogSink(level: .warning, logSink: sink)
            defer { LogSinks.custom = nil }
            try collection.resolveConflict(id: "mine") { _ in
                MutableDocument(id: "yours").setString("merged", forKey: "from")
            }
            let text =
                "The document ID of the resolved document 'yours' is not matching with the document ID of the conflicting document 'mine'."
            #expect(sink.messages(with: "of the conflicting document").map(\.text) == [text])
            #expect(try documents.winner("mine") == "merged")
            #expect(try collection.document(id: "yours") == nil)
            #endif
        }

        @Test("opening a database logs no warning, also if there is a log but no log file")
        func opening() throws {
            defer { LogSinks.custom = nil }
            LogSinks.custom = CustomLogSink(level: .warning, logSink: sink)
            try folder.open("quiet").close()
            #expect(sink.messages(with: "logging is disabled").isEmpty && sink.messages(with: folder.path).isEmpty)
        }

        /// Requests the blob that the message is about.
        private final class Reading: LogSinkProtocol, Sendable {
            let blob: Blob
            let sink: KeepingSink

            init(_ blob: Blob, _ sink: KeepingSink) {
                self.blob = blob
                self.sink = sink
            }

            func writeLog(level: LogLevel, domain: LogDomain, message: String) {
                if message.contains(blob.digest ?? "-") { #expect(blob.content == nil) }
                sink.writeLog(level: level, domain: domain, message: message)
            }
        }

        @Test("the missing content of a blob is logged as a warning with its digest")
        func missingBlob() throws {
            let database = try folder.open()
            let document = MutableDocument(id: "doc")
                .setBlob(Blob(contentType: "text/plain", data: Data("content".utf8)), forKey: "blob")
            try database.saveDocument(document)
            let attachments = folder.bundle().appendingPathComponent("Attachments")
            for name in try FileManager.default.contentsOfDirectory(atPath: attachments.path) {
                try FileManager.default.removeItem(at: attachments.appendingPathComponent(name))
            }
            let blob = try #require(database.document(withID: "doc")?.blob(forKey: "blob"))
            let digest = try #require(blob.digest)
            LogSinks.custom = CustomLogSink(level: .warning, logSink: Reading(blob, sink))
            // On a separate thread, as in a deadlock.
            #expect(try onOtherThread { blob.content } == nil)
            #expect(try onOtherThread { blob.contentStream == nil })
            LogSinks.custom = nil
            #expect(sink.messages(with: digest).map(\.level) == [.warning, .warning])
        }
    }
}
