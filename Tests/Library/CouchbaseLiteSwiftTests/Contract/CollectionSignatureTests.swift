import CouchbaseLiteSwift
import Testing

/// The declarations of `Scope` and `Collection`, each with its exact type: what does not compile here breaks apps.
@Suite("Declarations of scopes and collections")
struct CollectionSignatureTests {
    @Test("scopes and collections have the declared properties and protocols")
    func types() throws {
        let _: KeyPath<Scope, String> = \.name
        let _: KeyPath<Scope, Database> = \.database
        let _: (Scope) -> () throws -> [Collection] = Scope.collections
        let _: (Scope) -> (String) throws -> Collection? = Scope.collection(name:)
        let _: KeyPath<Collection, String> = \.name
        let _: KeyPath<Collection, String> = \.fullName
        let _: KeyPath<Collection, Scope> = \.scope
        let _: KeyPath<Collection, Database> = \.database
        let _: KeyPath<Collection, UInt64> = \.count
        let _: KeyPath<Collection, DocumentFragment> = \.["key"]
        #expect(Scope.defaultScopeName == "_default")
        #expect(Collection.defaultCollectionName == "_default")
        let _: any CollectionChangeObservable.Type = Collection.self
        let _: any Indexable.Type = Collection.self
        let _: any Hashable.Type = Collection.self
    }

    @Test("the document functions of collections have the declared types")
    func documents() throws {
        let _: (Collection) -> (String) throws -> Document? = Collection.document(id:)
        let _: (Collection) -> (MutableDocument) throws -> Void = Collection.save(document:)
        let _: (Collection) -> (MutableDocument, ConcurrencyControl) throws -> Bool =
            Collection.save(document:concurrencyControl:)
        let _: (Collection) -> (MutableDocument, @escaping (MutableDocument, Document?) -> Bool) throws -> Bool =
            Collection.save(document:conflictHandler:)
        let _: (Collection) -> (Document) throws -> Void = Collection.delete(document:)
        let _: (Collection) -> (Document, ConcurrencyControl) throws -> Bool =
            Collection.delete(document:concurrencyControl:)
        let _: (Collection) -> (Document) throws -> Void = Collection.purge(document:)
        let _: (Collection) -> (String) throws -> Void = Collection.purge(id:)
        let _: (Collection) -> (String, Date?) throws -> Void = Collection.setDocumentExpiration(id:expiration:)
        let _: (Collection) -> (String) throws -> Date? = Collection.getDocumentExpiration(id:)
    }

    @Test("the listener functions of collections have the declared types")
    func listeners() throws {
        let _: (Collection) -> (String, @escaping @MainActor @Sendable (DocumentChange) -> Void) -> ListenerToken =
            Collection.addDocumentChangeListener(id:listener:)
        let _: (Collection) -> (String, DispatchQueue?, @escaping @Sendable (DocumentChange) -> Void) -> ListenerToken =
            Collection.addDocumentChangeListener(id:queue:listener:)
        let _: (Collection) -> (@escaping @MainActor @Sendable (CollectionChange) -> Void) -> ListenerToken =
            Collection.addChangeListener(listener:)
        let _: (Collection) -> (DispatchQueue?, @escaping @Sendable (CollectionChange) -> Void) -> ListenerToken =
            Collection.addChangeListener(queue:listener:)
        let _: KeyPath<CollectionChange, Collection> = \.collection
        let _: KeyPath<CollectionChange, [String]> = \.documentIDs
        func observe(_ observable: any CollectionChangeObservable) {
            observable.addChangeListener { _ in }
            observable.addChangeListener(queue: nil) { _ in }
        }
    }

    @Test("the index functions of collections and databases have the declared types")
    func indexes() throws {
        let _: (Collection) -> () throws -> [String] = Collection.indexes
        let _: (Collection) -> (String, any IndexConfiguration) throws -> Void = Collection.createIndex(
            withName:
            config:
        )
        let _: (Collection) -> (any Index, String) throws -> Void = Collection.createIndex(_:name:)
        let _: (Collection) -> (String) throws -> Void = Collection.deleteIndex(forName:)
        let _: (Collection) -> (String) throws -> QueryIndex? = Collection.index(withName:)
        let _: (Database) -> (any Index, String) throws -> Void = Database.createIndex(_:withName:)
        let _: (Database) -> (any IndexConfiguration, String) throws -> Void = Database.createIndex(_:name:)
        let _: (Database) -> (String) throws -> Void = Database.deleteIndex(forName:)
        let _: KeyPath<Database, [String]> = \.indexes
        func use(_ indexable: any Indexable) throws {
            for name in try indexable.indexes() where try indexable.index(withName: name) != nil {
                try indexable.deleteIndex(forName: name)
            }
        }
    }

    @Test("index definitions have the declared types")
    func indexDefinitions() throws {
        let items = [ValueIndexItem.property("a"), ValueIndexItem.expression(Expression.property("b"))]
        let _: ValueIndex = IndexBuilder.valueIndex(items: items)
        let _: ValueIndex = IndexBuilder.valueIndex(items: items[0], items[1])
        let value = ValueIndexConfiguration(["a"], where: "b > 1")
        let _: ([String], String?) = (value.expressions, value.where)
        #expect(ValueIndexConfiguration(["a"]).where == nil)
        let array = ArrayIndexConfiguration(path: "a[].b", expressions: ["c"])
        let _: (String, [String]?) = (array.path, array.expressions)
        #expect(ArrayIndexConfiguration(path: "a").expressions == nil)
        let _: [any IndexConfiguration] = [value, array]
        let _: KeyPath<QueryIndex, Collection> = \.collection
        let _: KeyPath<QueryIndex, String> = \.name
    }
}
