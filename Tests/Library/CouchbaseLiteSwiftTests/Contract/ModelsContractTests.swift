import CouchbaseLiteSwift
import TestSupport
import Testing

/// Every declaration about models (API 3, 8, 9, 10), with its exact type, as an app sees it.
@Suite("Declarations of models")
struct ModelsContractTests {
    final class Model: Codable {
        @DocumentID var id: String?
        var name: String

        init(_ name: String) { self.name = name }
    }

    final class OnlyEncodable: Encodable {
        @DocumentID var id: String?
    }

    final class OnlyDecodable: Decodable {
        @DocumentID var id: String?
    }

    struct Row: Decodable {
        let name: String
    }

    @Test("classes can conform to the type aliases of models")
    func aliases() {
        func encodable<T: DocumentEncodable>(_: T.Type) -> Bool { true }
        func decodable<T: DocumentDecodable>(_: T.Type) -> Bool { true }
        func codable<T: DocumentCodable>(_: T.Type) -> Bool { true }
        #expect(encodable(Model.self) && decodable(Model.self) && codable(Model.self))
        #expect(encodable(OnlyEncodable.self) && decodable(OnlyDecodable.self))
    }

    @Test("DocumentID is a codable, sendable and hashable property wrapper of an optional string")
    func wrapper() throws {
        func isValue<T: Codable & Sendable & Hashable>(_: T.Type) -> Bool { !(T.self is AnyClass) }
        #expect(isValue(DocumentID.self))
        var wrapper: DocumentID = DocumentID(wrappedValue: nil)
        let path: WritableKeyPath<DocumentID, String?> = \.wrappedValue
        wrapper[keyPath: path] = "x"
        #expect(wrapper.wrappedValue == "x")
        let decode: (any Decoder) throws -> DocumentID = DocumentID.init(from:)
        let encode: (any Encoder) throws -> Void = wrapper.encode(to:)
        _ = (decode, encode)
        #expect(try String(decoding: JSONEncoder().encode(["id": wrapper]), as: UTF8.self) == #"{"id":"x"}"#)
        #expect(
            try JSONDecoder().decode([DocumentID].self, from: Data("[\"y\",null]".utf8)).map(\.wrappedValue) == [
                "y", nil,
            ]
        )
    }

    @Test("the model functions of collections have the declared types")
    func collections() throws {
        let folder = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = folder.url.path
        let collection = try Database(name: "db", config: config).defaultCollection()
        let read: (String, Model.Type) throws -> Model? = collection.document(id:as:)
        let readOnly: (String, OnlyDecodable.Type) throws -> OnlyDecodable? = collection.document(id:as:)
        let save: (Model) throws -> Void = collection.save(from:)
        let saveOnly: (OnlyEncodable) throws -> Void = collection.save(from:)
        let saveControlled: (Model, ConcurrencyControl) throws -> Bool = collection.save(from:concurrencyControl:)
        let saveHandled: (Model, @escaping (Model, Model?) -> Bool) throws -> Bool =
            collection.save(from:conflictHandler:)
        let delete: (Model) throws -> Void = collection.delete(for:)
        let deleteControlled: (Model, ConcurrencyControl) throws -> Bool = collection.delete(for:concurrencyControl:)
        let purge: (Model) throws -> Void = collection.purge(for:)

        let model = Model("a")
        try save(model)
        try saveOnly(OnlyEncodable())
        let id = try #require(model.id)
        #expect(try read(id, Model.self)?.name == "a")
        #expect(try readOnly(id, OnlyDecodable.self)?.id == id)
        #expect(try saveControlled(model, .failOnConflict))
        #expect(try saveHandled(model) { _, _ in false })
        #expect(try deleteControlled(model, .lastWriteWins))
        try delete(model)
        try purge(model)
    }

    @Test("the model functions of query results have the declared types")
    func results() throws {
        let folder = try TemporaryDirectory()
        let config = DatabaseConfiguration()
        config.directory = folder.url.path
        let database = try Database(name: "db", config: config)
        try database.defaultCollection().save(from: Model("a"))
        let query = try database.createQuery("SELECT name FROM _")
        let resultSet = try query.execute()
        let all: (Row.Type, String?) throws -> [Row] = resultSet.data(as:dataKey:)
        #expect(try all(Row.self, nil).map(\.name) == ["a"])
        let result = try #require(try query.execute().next())
        let one: (Row.Type, String?) throws -> Row = result.data(as:dataKey:)
        #expect(try one(Row.self, nil).name == "a")
        let row: Row = try result.data(as: Row.self)
        #expect(row.name == "a")
    }

    @Test("the coding errors have the declared codes")
    func codes() {
        let codes: [Int] = [CBLError.decodingError, CBLError.encodingError]
        #expect(codes == [18001, 18002])
    }
}
