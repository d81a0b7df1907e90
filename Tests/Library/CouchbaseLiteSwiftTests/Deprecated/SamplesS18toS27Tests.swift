import CouchbaseLiteSwift
import TestSupport
import TestTraits
import Testing

@Suite("Samples of databases and documents")
struct SamplesS18toS27Tests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
    }

    @Test("the example of the getting-started guide creates, saves, changes and queries a document")
    func starter() throws {
        let mutableDocument = MutableDocument().setFloat(2.0, forKey: "version").setString("SDK", forKey: "type")
        try database.saveDocument(mutableDocument)
        let document = database.document(withID: mutableDocument.id)!.toMutable()
        document.setString("Swift", forKey: "language")
        try database.saveDocument(document)
        let query = QueryBuilder.select(SelectResult.all())
            .from(DataSource.database(database))
            .where(Expression.property("type").equalTo(Expression.string("SDK")))
        let result = try query.execute()
        #expect(result.allResults().count == 1)
        #expect(database[document.id]["language"].string == "Swift")
        #expect(database[document.id]["version"].float == 2.0)
    }

    @Test("attachments of version 1.x are read as blobs")
    func attachments() throws {
        let avatar = Blob(contentType: "image/jpg", data: Data("image".utf8))
        let written = MutableDocument().setValue(["avatar": avatar], forKey: "_attachments")
        try database.saveDocument(written)
        let document = try #require(database.document(withID: written.id))
        let content = document.dictionary(forKey: "_attachments")?.blob(forKey: "avatar")?.content
        #expect(content == Data("image".utf8))
    }

    @Test("a database is opened")
    func openDatabase() {
        do {
            let database = try Database(name: "my-database", config: folder.config)
            #expect(database.path != nil)
        } catch {
            print(error)
            Issue.record(error)
        }
    }

    @Test("a prebuilt database is copied unless it exists")
    func prebuilt() throws {
        // Another name than in the guide, because the default directory belongs to the user who runs the tests.
        let name = "travel-sample-\(UUID().uuidString)"
        let copies = try TemporaryDirectory()
        let path =
            try Bundle.main.path(forResource: "travel-sample", ofType: "cblite2")
            ?? copies.copy(RealDatabase.url("travel-sample")).path
        if !Database.exists(withName: name) {
            do {
                try Database.copy(fromPath: path, toDatabase: name, withConfig: nil)
            } catch {
                Issue.record("Could not load the pre-built database: \(error)")
            }
        }
        #expect(Database.exists(withName: name))
        let database = try Database(name: name)
        #expect(database.count == 2885)
        try database.delete()
        #expect(!Database.exists(withName: name))
    }

    @Test("a document is created, changed, and has dates")
    func documents() throws {
        let newTask = MutableDocument()
            .setString("task", forKey: "type")
            .setString("todo", forKey: "owner")
            .setDate(Date(), forKey: "createdAt")
        try database.saveDocument(newTask)

        guard let document = database.document(withID: newTask.id) else {
            Issue.record("the document is not there")
            return
        }
        let mutableDocument = document.toMutable()
        mutableDocument.setString("apples", forKey: "name")
        try database.saveDocument(mutableDocument)
        #expect(database[newTask.id]["name"].string == "apples")

        newTask.setValue(Date(timeIntervalSince1970: 0.5), forKey: "createdAt")
        let date = newTask.date(forKey: "createdAt")
        #expect(date == Date(timeIntervalSince1970: 0.5))
    }

    @Test("documents are saved in a batch")
    func batch() throws {
        do {
            try database.inBatch {
                for i in 0...10 {
                    let doc = MutableDocument()
                    doc.setValue("user", forKey: "type")
                    doc.setValue("user \(i)", forKey: "name")
                    doc.setBoolean(false, forKey: "admin")
                    try database.saveDocument(doc)
                    print("saved user document \(doc.string(forKey: "name") ?? "")")
                }
            }
        } catch let error {
            Issue.record(error)
        }
        #expect(database.count == 11)
    }

    @Test("a blob is set, saved and read")
    func blob() throws {
        let newTask = MutableDocument()
        let imageData = Data("image".utf8)
        let blob = Blob(contentType: "image/jpeg", data: imageData)
        newTask.setBlob(blob, forKey: "avatar")
        try database.save(newTask)
        if let taskBlob = newTask.blob(forKey: "avatar") {
            #expect(taskBlob.content! == imageData)
        } else {
            Issue.record("there is no blob")
        }
        try database.delete(newTask)
        #expect(database.count == 0)
    }

    @Test("objects are set and read with the oldest function names")
    func objects() throws {
        let document = MutableDocument()
        document.setObject("Ann", forKey: "name")
        document.setObject(nil, forKey: "age")
        #expect(document.object(forKey: "name") as? String == "Ann")
        #expect(document.object(forKey: "age") is NSNull)
        #expect(document.object(forKey: "none") == nil)
    }

    @Test("a database is opened with a password")
    func password() throws {
        let config = DatabaseConfiguration()
        config.directory = folder.path
        config.encryptionKey = EncryptionKey.password("secretpassword")
        let database = try Database(name: "encrypted", config: config)
        try database.saveDocument(MutableDocument(id: "doc"))
        try database.close()
        #expect(try Database(name: "encrypted", config: config).count == 1)
        config.encryptionKey = EncryptionKey.password("another")
        do {
            _ = try Database(name: "encrypted", config: config)
            Issue.record("it was opened with a wrong password")
        } catch let error as NSError {
            #expect(error.code == CBLError.unreadableDatabase)
        }
    }

    @Test("a document is created with an ID")
    func documentWithID() {
        let document = MutableDocument(withID: "xyz")
        #expect(document.id == "xyz")
        #expect(document.count == 0)
    }

    @Test("documents are saved and deleted with the concurrency controls none and optimistic")
    func concurrencyControl() throws {
        let document = MutableDocument(withID: "doc")
        try database.save(document: document)
        let stale = try #require(database.document(withID: "doc")?.toMutable())
        try database.save(document: document.setInt(1, forKey: "n"))
        stale.setInt(2, forKey: "n")
        #expect(try !database.save(document: stale, concurrencyControl: .optimistic))
        #expect(try !database.delete(document: stale, concurrencyControl: .optimistic))
        #expect(database["doc"]["n"].int == 1)
        #expect(try database.save(document: stale, concurrencyControl: .none))
        #expect(database["doc"]["n"].int == 2)
        #expect(try database.delete(document: document, concurrencyControl: .none))
        #expect(database.count == 0)
        try database.save(document: document)
        try database.delete(document: document)
        #expect(database.count == 0)
    }
}
