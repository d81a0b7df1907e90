import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

extension LoggingTests {
    @Suite("Secrets in the log")
    struct Secrecy {
        let log = FreshLog()
        let sink = KeepingSink()
        let folder: DatabaseFolder
        /// Is part of every key and value of every document, blob, query and parameter of this test, and of nothing else.
        let secret = "s3cr3t" + UUID().uuidString.prefix(8).lowercased()

        init() throws {
            folder = try DatabaseFolder()
        }

        @Test("below verbose level the log contains no contents of documents, blobs, queries and parameters")
        func secrets() throws {
            LogSinks.custom = CustomLogSink(level: .info, logSink: sink)
            try useEverything()
            LogSinks.custom = nil
            #expect(sink.messages(with: secret) == [])
            #expect(!sink.messages(with: folder.path).isEmpty)
        }

        @Test("at verbose level the log may contain contents of documents and queries")
        func verbose() throws {
            LogSinks.custom = CustomLogSink(level: .verbose, logSink: sink)
            try useEverything()
            LogSinks.custom = nil
            #expect(!sink.messages(with: secret).isEmpty)
        }

        /// Uses the whole local API, with the secret wherever an app might have one.
        private func useEverything() throws {
            var database = try folder.open()
            let collection = try database.createCollection(name: "people")
            try writeDocuments(collection)
            try readDocuments(collection)
            try query(database)
            try makeMistakes(collection)
            for type: MaintenanceType in [.compact, .reindex, .optimize, .fullOptimize, .integrityCheck] {
                try database.performMaintenance(type: type)
            }
            try database.close()
            database = try folder.open()
            try damageBlobs()
            let damaged = try #require(try database.collection(name: "people")?.document(id: "doc"))
            #expect(damaged.blob(forKey: secret + "blob")?.content == nil)
            #expect(damaged.blob(forKey: secret + "blob")?.contentStream == nil)
            try Database.copy(fromPath: folder.bundle().path, toDatabase: "copy", withConfig: folder.config)
            try database.delete()
            try Database.delete(withName: "copy", inDirectory: folder.path)
            try encrypt()
        }

        private func encrypt() throws {
            let config = folder.config
            config.encryptionKey = .password(secret)
            let database = try Database(name: "encrypted", config: config)
            try database.saveDocument(MutableDocument(id: "doc").setString(secret, forKey: secret))
            try database.changeEncryptionKey(.password(secret + "2"))
            #expect(throws: NSError.self) { try Database(name: "encrypted", config: config) }
            try database.delete()
        }

        private func writeDocuments(_ collection: Collection) throws {
            let document = MutableDocument(id: "doc")
                .setString(secret, forKey: secret)
                .setValue(["nested": [secret, 1, true, NSNull()] as [Any]], forKey: "dictionary")
                .setBlob(Blob(contentType: secret, data: Data(secret.utf8)), forKey: secret + "blob")
            let token = collection.addChangeListener(queue: .global()) { _ in }
            try collection.save(document: document)
            try collection.save(document: try MutableDocument(id: "json", json: #"{"\#(secret)":"\#(secret)"}"#))
            try collection.database.inBatch {
                for number in 0..<10 {
                    try collection.save(document: MutableDocument(id: "\(number)").setString(secret, forKey: "text"))
                }
            }
            try collection.delete(document: try #require(try collection.document(id: "0")))
            try collection.purge(id: "1")
            try collection.setDocumentExpiration(id: "2", expiration: Date(timeIntervalSinceNow: 1000))
            try collection.database.saveBlob(blob: Blob(contentType: secret, data: Data((secret + "2").utf8)))
            token.remove()
        }

        private func readDocuments(_ collection: Collection) throws {
            let document = try #require(try collection.document(id: "doc"))
            #expect(document.string(forKey: secret) == secret)
            #expect(document.toJSON().contains(secret))
            #expect(document.toDictionary().count == 3)
            #expect(document.blob(forKey: secret + "blob")?.content == Data(secret.utf8))
            #expect(collection["doc"][secret].string == secret)
            #expect(document.toMutable()["dictionary"]["nested"][0].string == secret)
        }

        private func query(_ database: Database) throws {
            try database.collection(name: "people")?.createIndex(
                withName: "index",
                config: ValueIndexConfiguration([secret], where: "text = '\(secret)'")
            )
            let query = try database.createQuery(
                "SELECT *, \(secret) AS \(secret)1 FROM people WHERE \(secret) = $\(secret) OR text = '\(secret)'"
            )
            query.parameters = Parameters().setString(secret, forName: secret)
            #expect(try query.execute().allResults().count == 10)
            #expect(try query.explain().contains(secret))
            _ = try QueryBuilder.select(SelectResult.property(secret)).from(DataSource.database(database))
                .where(Expression.property(secret).equalTo(Expression.string(secret))).execute()
        }

        /// The caller gets errors in full; the log does not contain them.
        private func makeMistakes(_ collection: Collection) throws {
            let database = collection.database
            #expect(throws: NSError.self) {
                try database.createQuery("SELECT \(secret) FROM \(secret) WHERE '\(secret)")
            }
            #expect(throws: NSError.self) { try database.createQuery("SELECT \(secret) FROM \(secret)") }
            #expect(throws: NSError.self) { try MutableDocument(json: "{\"\(secret)\":\(secret)}") }
            #expect(throws: NSError.self) {
                let query = try database.createQuery("SELECT * FROM _")
                query.parameters = Parameters().setString(secret, forName: secret)
                _ = try query.execute()
            }
            let (one, other) = (try #require(try collection.document(id: "3")), MutableDocument(id: "3"))
            try collection.save(document: other.setString(secret, forKey: "other"))
            let mine = one.toMutable().setString(secret, forKey: "mine")
            #expect(try !collection.save(document: mine, concurrencyControl: .failOnConflict))
            #expect(throws: NSError.self) {
                try database.inBatch { throw NSError(domain: secret, code: 1) }
            }
        }

        private func damageBlobs() throws {
            let attachments = folder.bundle().appendingPathComponent("Attachments")
            for name in try FileManager.default.contentsOfDirectory(atPath: attachments.path) {
                try Data(secret.dropLast().utf8).write(to: attachments.appendingPathComponent(name))
            }
        }
    }
}
