import CouchbaseLiteSwift
import Testing

/// The declarations of `Database` and related types, each with its exact type: what does not compile here breaks apps.
@Suite("Declarations of databases")
struct DatabaseSignatureTests {
    @Test("databases have the declared properties")
    func types() throws {
        let _: (String, DatabaseConfiguration) throws -> Database = Database.init(name:config:)
        let _: KeyPath<Database, String> = \.name
        let _: KeyPath<Database, String?> = \.path
        let _: KeyPath<Database, UInt64> = \.count
        let _: KeyPath<Database, DatabaseConfiguration> = \.config
        let _: KeyPath<Database, [String]> = \.indexes
        let _: KeyPath<Database, DocumentFragment> = \.["key"]
        let _: () -> String = { Database.defaultScopeName }
        let _: () -> String = { Database.defaultCollectionName }
        let _: any QueryFactory.Type = Database.self
    }

    @Test("the document, blob and batch functions of databases have the declared types")
    func documents() throws {
        let _: (Database) -> (String) -> Document? = Database.document(withID:)
        let _: (Database) -> (MutableDocument) throws -> Void = Database.saveDocument(_:)
        let _: (Database) -> (MutableDocument, ConcurrencyControl) throws -> Bool =
            Database.saveDocument(_:concurrencyControl:)
        let _: (Database) -> (MutableDocument, @escaping (MutableDocument, Document?) -> Bool) throws -> Bool =
            Database.saveDocument(_:conflictHandler:)
        let _: (Database) -> (Document) throws -> Void = Database.deleteDocument(_:)
        let _: (Database) -> (Document, ConcurrencyControl) throws -> Bool =
            Database.deleteDocument(_:concurrencyControl:)
        let _: (Database) -> (Document) throws -> Void = Database.purgeDocument(_:)
        let _: (Database) -> (String) throws -> Void = Database.purgeDocument(withID:)
        let _: (Database) -> (Blob) throws -> Void = Database.saveBlob(blob:)
        let _: (Database) -> ([String: Any]) throws -> Blob? = Database.getBlob(properties:)
        let _: (Database) -> (() throws -> Void) throws -> Void = { database in
            { block in try database.inBatch(using: block) }
        }
        let _: (Database) -> (String, Date?) throws -> Void = Database.setDocumentExpiration(withID:expiration:)
        let _: (Database) -> (String) -> Date? = Database.getDocumentExpiration(withID:)
    }

    @Test("the query and index functions of databases have the declared types")
    func queries() throws {
        let _: (Database) -> (String) throws -> Query = { database in { try database.createQuery($0) } }
        let _: (Database) -> (any Index, String) throws -> Void = Database.createIndex(_:withName:)
        let _: (Database) -> (any IndexConfiguration, String) throws -> Void = Database.createIndex(_:name:)
        let _: (Database) -> (String) throws -> Void = Database.deleteIndex(forName:)
    }

    @Test("the listener functions of databases have the declared types")
    @available(*, deprecated)
    func listeners() throws {
        let _: (Database) -> (@escaping @MainActor @Sendable (DatabaseChange) -> Void) -> ListenerToken =
            Database.addChangeListener(_:)
        let _: (Database) -> (DispatchQueue?, @escaping @Sendable (DatabaseChange) -> Void) -> ListenerToken =
            Database.addChangeListener(withQueue:listener:)
        let _: (Database) -> (String, @escaping @MainActor @Sendable (DocumentChange) -> Void) -> ListenerToken =
            Database.addDocumentChangeListener(withID:listener:)
        let _: (Database) -> (String, DispatchQueue?, @escaping @Sendable (DocumentChange) -> Void) -> ListenerToken =
            Database.addDocumentChangeListener(withID:queue:listener:)
        let _: (Database) -> (ListenerToken) -> Void = Database.removeChangeListener(withToken:)
        let _: (ListenerToken) -> () -> Void = ListenerToken.remove
        let _: KeyPath<DatabaseChange, Database> = \.database
        let _: KeyPath<DatabaseChange, [String]> = \.documentIDs
        let _: KeyPath<DocumentChange, Database> = \.database
        let _: KeyPath<DocumentChange, String> = \.documentID
        let _: KeyPath<DocumentChange, Collection> = \.collection
    }

    @Test("the file and maintenance functions of databases have the declared types")
    @available(*, deprecated)
    func files() throws {
        let _: (Database) -> () throws -> Void = Database.close
        let _: (Database) -> () throws -> Void = { database in { try database.delete() } }
        let _: (Database) -> (MaintenanceType) throws -> Void = Database.performMaintenance(type:)
        let _: (Database) -> () throws -> Void = Database.compact
        let _: (String, String?) throws -> Void = Database.delete(withName:inDirectory:)
        let _: (String, String?) -> Bool = Database.exists(withName:inDirectory:)
        let _: (String, String, DatabaseConfiguration?) throws -> Void =
            Database.copy(fromPath:toDatabase:withConfig:)
    }

    @Test("the scope and collection functions of databases have the declared types")
    func collections() throws {
        let _: (Database) -> () throws -> Scope = Database.defaultScope
        let _: (Database) -> () throws -> [Scope] = Database.scopes
        let _: (Database) -> (String) throws -> Scope? = Database.scope(name:)
        let _: (Database) -> () throws -> Collection = Database.defaultCollection
        let _: (Database) -> (String?) throws -> [Collection] = Database.collections(scope:)
        let _: (Database) -> (String, String?) throws -> Collection = Database.createCollection(name:scope:)
        let _: (Database) -> (String, String?) throws -> Collection? = Database.collection(name:scope:)
        let _: (Database) -> (String, String?) throws -> Void = Database.deleteCollection(name:scope:)
    }

    @Test("functions of databases have default arguments and discardable results")
    func defaults() throws {
        let folder = try DatabaseFolder()
        let database = try folder.open()
        let document = MutableDocument(id: "a")
        try database.saveDocument(document, concurrencyControl: .lastWriteWins)
        try database.saveDocument(document) { _, _ in true }
        try database.deleteDocument(document, concurrencyControl: .failOnConflict)
        _ = try database.createCollection(name: "c")
        #expect(try database.collection(name: "c")?.fullName == "_default.c")
        #expect(try database.collections().map(\.name) == ["_default", "c"])
        try database.deleteCollection(name: "c")
        database.addDocumentChangeListener(withID: "a") { _ in }
        try database.close()
        #expect(!Database.exists(withName: "no such database \(folder.path.hashValue)"))
        #expect(Database.exists(withName: "db", inDirectory: folder.path))
    }

    @Test("configurations and enumerations of databases have the declared types, defaults and raw values")
    func values() throws {
        let _: () -> DatabaseConfiguration = DatabaseConfiguration.init
        let _: (DatabaseConfiguration?) -> DatabaseConfiguration = DatabaseConfiguration.init(config:)
        let _: ReferenceWritableKeyPath<DatabaseConfiguration, String> = \.directory
        let _: ReferenceWritableKeyPath<DatabaseConfiguration, Bool> = \.fullSync
        let _: ReferenceWritableKeyPath<DatabaseConfiguration, Bool> = \.mmapEnabled
        #expect(!DatabaseConfiguration.defaultFullSync)
        #expect(DatabaseConfiguration.defaultMmapEnabled)
        #expect(!DatabaseConfiguration().fullSync)
        #expect(DatabaseConfiguration().mmapEnabled)
        #expect([ConcurrencyControl.lastWriteWins, .failOnConflict].map(\.rawValue) == [0 as UInt8, 1])
        #expect(
            [MaintenanceType.compact, .reindex, .integrityCheck, .optimize, .fullOptimize].map(\.rawValue)
                == [0 as UInt8, 1, 2, 3, 4]
        )
        #expect(Database.defaultScopeName == "_default")
        #expect(Database.defaultCollectionName == "_default")
    }
}
