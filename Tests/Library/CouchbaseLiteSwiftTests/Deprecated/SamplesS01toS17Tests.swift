import CouchbaseLiteSwift
import Testing

@Suite("Samples of the developer previews")
struct SamplesS01toS17Tests {
    let folder: DeprecatedFolder
    let database: Database

    init() throws {
        folder = try DeprecatedFolder()
        database = try folder.database()
    }

    @Test("a database is opened in the default directory, and an error is logged with NSLog")
    func openDatabase() {
        // Another name than in the guide, because the default directory belongs to the user who runs the tests.
        let name = "my-database-\(UUID().uuidString)"
        do {
            let database = try Database(name: name)
            #expect(database.name == name)
            try database.delete()
        } catch let error as NSError {
            Issue.record(error)
        }
        do {
            _ = try Database(name: "100%@/a")
            Issue.record("a name with a slash was accepted")
        } catch let error as NSError {
            NSLog("Cannot open the database: %@", error)
        }
    }

    @Test("database options set the directory and read-only access")
    func options() throws {
        try database.save(MutableDocument(withID: "doc"))
        try database.close()
        let options = DatabaseOptions()
        options.directory = folder.path
        options.isReadOnly = true
        let readOnly = try Database(name: "my-database", options: options)
        #expect(readOnly.document(withID: "doc") != nil)
        #expect(readOnly.config.isReadOnly)
        #expect(thrown { try readOnly.save(MutableDocument()) } == .couchbaseLite(CBLError.notWriteable))
        #expect(throws: NSError.self) { try Database(name: "none", options: options) }
        #expect(!DatabaseOptions().isReadOnly)
    }

    @Test("a document of a database can be saved, deleted and purged")
    func documentOfDatabase() throws {
        let document = database.document()
        document["type"] = "task"
        try document.save()
        #expect(database.document(withID: document.id)?.string(forKey: "type") == "task")
        document["done"] = true
        try document.save()
        #expect(database.document(withID: document.id)?.boolean(forKey: "done") == true)
        try document.delete()
        #expect(database.document(withID: document.id) == nil)
        try document.save()
        try document.purge()
        #expect(database.count == 0)
        #expect(document.revisionID == nil)

        for action in [MutableDocument.save, MutableDocument.delete, MutableDocument.purge] {
            #expect(thrown { try action(MutableDocument())() } == .invalidParameter)
        }
        #expect(thrown { try database.document().delete() } == .notFound)
    }

    @Test("all properties are set at once and read with the requested type")
    func properties() throws {
        let document = database.document()
        document.properties = ["type": "list", "owner": "todo", "count": 3]
        let type = document["type"] as String?
        #expect(type == "list")
        try document.save()
        let saved = try #require(database.document(withID: document.id))
        #expect(saved.properties["owner"] as? String == "todo")
        #expect(saved.properties.count == 3)
        document.properties = [:]
        #expect(document.count == 0)
    }

    @Test("dates are set and read by subscript")
    func dates() throws {
        let document = database.document()
        let now = Date(timeIntervalSince1970: 1_500_000_000.25)
        document["createdAt"] = now
        try document.save()
        let date = document["createdAt"] as Date?
        #expect(date == now)
        #expect(database.document(withID: document.id)?.date(forKey: "createdAt") == now)
    }

    @Test("a subdocument is part of its document")
    func subdocuments() throws {
        let document = database.document()
        document.properties = ["address": ["street": "1 Main street", "city": "Menlo Park"]]
        let address: Subdocument? = document["address"]
        address?["city"] = "Galway"
        address?["country"] = "Ireland"
        try document.save()
        let saved = try #require(database.document(withID: document.id))
        #expect(saved["address"]["city"].string == "Galway")
        #expect(
            address?.properties as? [String: String] == [
                "street": "1 Main street", "city": "Galway", "country": "Ireland",
            ]
        )
        let mutable = saved.toMutable()
        let again: Subdocument? = mutable["address"]
        again?.properties = ["city": "Paris"]
        try mutable.save()
        #expect(database[document.id]["address"].dictionary?.properties as? [String: String] == ["city": "Paris"])
        document["work"] = Subdocument(data: ["city": "Cork"])
        #expect(document["work"]["city"].string == "Cork")
    }

    @Test("documents are saved in a batch")
    func batch() throws {
        try database.inBatch {
            for number in 0..<10 {
                let document = database.document()
                document["type"] = "user"
                document["name"] = "user \(number)"
                document["admin"] = false
                try document.save()
                #expect(document.getString("name") == "user \(number)")
            }
        }
        #expect(database.count == 10)
    }

    @Test("blobs are set and read by subscript")
    func blobs() throws {
        let image = Data("image".utf8)
        let document = database.document()
        let avatar = Blob(contentType: "image/jpg", data: image)
        document["avatar"] = avatar
        document["thumbnail.jpg"] = Blob(contentType: "image/jpg", data: Data("small".utf8))
        document["name"] = "Ann"
        try document.save()
        let stored: Blob? = document["avatar"]
        #expect(stored?.content == image)
        #expect(database[document.id]["thumbnail.jpg"].blob?.contentType == "image/jpg")
        let name: String? = document["name"]
        #expect(name == "Ann")
    }

    @Test("values of every type are set and read by subscript, also with fragments")
    func subscripts() throws {
        let document = MutableDocument()
        document["bool"] = true
        document["int"] = 42
        document["double"] = 1.5
        document["string"] = "text"
        let nothing: String? = nil
        document["nothing"] = nothing
        let array: Any? = [1, 2]
        document["any"] = array
        let (bool, int, double): (Bool, Int, Double) = (document["bool"], document["int"], document["double"])
        #expect(bool)
        #expect(int == 42)
        #expect(double == 1.5)
        let any: Any? = document["int"]
        #expect(any is MutableFragment)
        #expect(document.value(forKey: "nothing") is NSNull)
        #expect(document["any"][1].int == 2)

        let fragment = document["string"]
        #expect(fragment.exists)
        #expect(document["string"].value as? String == "text")
        document["nested"].value = ["array": [["deep": 1]]]
        document["nested"]["array"][0]["deep"].int = 3
        #expect(document["nested"]["array"][0]["deep"].int == 3)
        #expect(!document["none"].exists)
    }

    @Test("a query finds users who are not administrators, and its rows have their documents")
    func query() throws {
        for (name, admin) in [("Ann", false), ("Bob", true), ("Cem", false)] {
            let document = MutableDocument(withID: name)
            document.properties = ["type": "user", "name": name, "admin": admin]
            try database.save(document)
        }
        let query = Query.select()
            .from(DataSource.database(database))
            .where(
                Expression.property("type").equalTo("user")
                    .and(Expression.property("admin").equalTo(false))
            )
        var ids: [String] = []
        for row in try query.run() {
            ids.append(row.documentID)
            #expect(row.document.getString("name") == row.documentID)
            #expect(row.sequence == row.document.sequence)
        }
        #expect(ids.sorted() == ["Ann", "Cem"])

        let rows = try query.run().allResults()
        try database.delete(rows[0].document)
        #expect(rows[0].document.count == 0)
        #expect(rows[0].document.id == rows[0].documentID)
        let named = try #require(try Query.select(SelectResult.property("name")).from(DataSource.database(database)).run().next())
        for access in [{ _ = named.documentID }, { _ = named.sequence }, { _ = named.document }] {
            #expect(misuse(access)?.name == inconsistency)
        }
    }

    @Test("plain values can be used as expressions")
    func literals() throws {
        let (early, late) = (Date(timeIntervalSince1970: 1_000_000_000), Date(timeIntervalSince1970: 2_000_000_000))
        for (number, date) in [(1, early), (2, late)] {
            let document = MutableDocument(withID: "\(number)")
            document.properties = ["n": number, "name": "name \(number)", "half": Double(number) / 2, "date": date]
            try database.save(document)
        }
        let (n, half) = (Expression.property("n"), Expression.property("half"))
        let (name, date) = (Expression.property("name"), Expression.property("date"))
        let onlyFirst = [
            n.equalTo(1), n.equalTo(Int64(1)), n.notEqualTo(2), n.lessThan(2), n.lessThanOrEqualTo(1),
            half.equalTo(0.5), half.equalTo(Float(0.5)), half.lessThan(0.75), n.add(1).equalTo(2),
            name.equalTo("name 1"), name.like("%1"), name.regex("1$"), date.equalTo(early), date.lessThan(late),
        ]
        for condition in onlyFirst {
            let query = Query.select().from(DataSource.database(database)).where(condition)
            #expect(try query.run().map(\.documentID) == ["1"], "\(query)")
        }
        for condition in [n.greaterThan(1), n.greaterThanOrEqualTo(2), date.greaterThan(early)] {
            let query = Query.select().from(DataSource.database(database)).where(condition)
            #expect(try query.run().map(\.documentID) == ["2"], "\(query)")
        }
    }

    @Test("an index of properties can be created repeatedly and deleted")
    func index() throws {
        try database.createIndex(["name", "address.city"])
        try database.createIndex(["name", "address.city"])
        #expect(database.indexes == ["name,address.city"])
        try database.createIndex(["\"quoted name\""])
        #expect(database.indexes.count == 2)
        try database.createIndex([Expression.property("type")], options: .valueIndex)
        #expect(database.indexes.count == 3)
        try database.deleteIndex(on: ["name", "address.city"], type: .valueIndex)
        try database.deleteIndex(on: ["type"], type: .fullTextIndex)
        #expect(database.indexes.sorted() == ["quoted name", "type"])
        try database.createIndex(["name"], options: .fullTextIndex(language: nil, ignoreDiacritics: false))
        try database.createIndex(["name"])
        #expect(database.indexes.count == 4)
        try database.deleteIndex(on: ["name"], type: .fullTextIndex)
        #expect(database.indexes.sorted() == ["name", "quoted name", "type"])
        let error = #expect(throws: NSError.self) { try database.createIndex(["geo"], options: .geoIndex) }
        #expect(error?.code == CBLError.unimplemented)
    }
}
