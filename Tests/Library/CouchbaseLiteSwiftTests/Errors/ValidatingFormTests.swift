import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The forms of the API with the label `validating`: each throws where the form without it ends the process.
@Suite("Functions that validate their arguments")
struct ValidatingFormTests {
    /// A type that cannot be stored.
    private struct Unstorable {}

    private let encodingError = ErrorCode.couchbaseLite(CBLError.encodingError)
    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    @Test("setters of documents and dictionaries throw encodingError for a value that cannot be stored, and change nothing")
    func dictionaries() throws {
        let document = MutableDocument(data: ["a": 1])
        let dictionary = MutableDictionaryObject(data: ["a": 1])
        for bad: Any in [Unstorable(), [1, Unstorable()], ["x": ["y": Unstorable()]], NSArray(object: Unstorable())] {
            #expect(thrown { try document.setValue(validating: bad, forKey: "a") } == encodingError)
            #expect(thrown { try document.setData(validating: ["b": 2, "c": bad]) } == encodingError)
            #expect(thrown { try dictionary.setValue(validating: bad, forKey: "a") } == encodingError)
            #expect(thrown { try dictionary.setData(validating: ["b": 2, "c": bad]) } == encodingError)
        }
        #expect(document.toDictionary() as NSDictionary == ["a": 1])
        #expect(dictionary.toDictionary() as NSDictionary == ["a": 1])
        #expect(misuse { MutableDictionaryObject().setValue([1, Unstorable()], forKey: "a") }?.name == inconsistency)
    }

    @Test("setters of arrays throw encodingError for a value that cannot be stored, and change nothing")
    func arrays() throws {
        let array = MutableArrayObject(data: [1])
        #expect(thrown { try array.setValue(validating: Unstorable(), at: 0) } == encodingError)
        #expect(thrown { try array.addValue(validating: [Unstorable()]) } == encodingError)
        #expect(thrown { try array.insertValue(validating: ["a": Unstorable()], at: 0) } == encodingError)
        #expect(thrown { try array.setData(validating: [2, Unstorable()]) } == encodingError)
        #expect(array.toArray() as NSArray == [1])
    }

    @Test("values that can be stored are set as by the functions that do not validate")
    func goodValues() throws {
        let shared = MutableArrayObject(data: ["x"])
        let values: [String: Any] = [
            "null": NSNull(), "true": true, "int": Int.min, "unsigned": UInt64.max, "float": Float(1.5), "double": 0.1, "text": "é",
            "date": Date(timeIntervalSince1970: 0), "list": [1, ["a": false]], "blob": Blob(contentType: "t", data: Data([1])),
            "object": MutableDictionaryObject(data: ["b": 1]), "number": NSNumber(value: 7),
        ]
        let (plain, validated) = (MutableDocument(id: "a", data: values), MutableDocument(id: "a"))
        try validated.setData(validating: values)
        #expect(plain == validated)
        let one = MutableDocument(id: "a")
        for (key, value) in values { try one.setValue(validating: value, forKey: key) }
        #expect(plain == one)
        try one.setValue(validating: nil, forKey: "null").setValue(validating: shared, forKey: "shared")
        shared.addInt(1)
        #expect(one.array(forKey: "shared")?.count == 2)
        let array = MutableArrayObject()
        try array.addValue(validating: 1).insertValue(validating: "a", at: 0).setValue(validating: nil, at: 1)
        #expect(array == MutableArrayObject(data: ["a", NSNull()]))
    }

    @Test("a container that is set inside itself is refused with invalidParameter")
    func insideItself() throws {
        let (dictionary, array) = (MutableDictionaryObject(), MutableArrayObject())
        #expect(thrown { try dictionary.setValue(validating: [dictionary], forKey: "a") } == .invalidParameter)
        #expect(thrown { try dictionary.setData(validating: ["a": dictionary]) } == .invalidParameter)
        #expect(thrown { try array.addValue(validating: array) } == .invalidParameter)
        #expect(thrown { try array.setData(validating: [["a": array]]) } == .invalidParameter)
        #expect(dictionary.count == 0 && array.count == 0)
    }

    @Test("parameters and expressions throw encodingError for a value that cannot be stored")
    func queries() throws {
        let parameters = Parameters()
        #expect(thrown { try parameters.setValue(validating: [Unstorable()], forName: "a") } == encodingError)
        let blob: [String: Any] = ["@type": "blob", "digest": "sha1-?"]
        #expect(thrown { try parameters.setValue(validating: [["b": blob]], forName: "a") } == .invalidParameter)
        #expect(parameters.value(forName: "a") == nil)
        #expect(try parameters.setValue(validating: 1, forName: "a").value(forName: "a") as? Int == 1)
        #expect(thrown { _ = try Expression.value(validating: ["a": [Unstorable()]]) } == encodingError)
        let database = try folder.open()
        try database.defaultCollection().save(document: MutableDocument(data: ["n": 2]))
        let values = try Expression.value(validating: [1, Expression.property("n")] as [Any])
        let query = QueryBuilder.select(SelectResult.expression(values)).from(DataSource.collection(try database.defaultCollection()))
        #expect(try query.execute().allResults().map { $0.array(at: 0)?.toArray() as? [Int] } == [[1, 2]])
    }

    @Test("keys, indexes and blobs throw for arguments that are not valid")
    func otherArguments() throws {
        #expect(thrown { _ = try EncryptionKey.key(validating: Data(count: 31)) } == .invalidParameter)
        #expect(throws: Never.self) { try EncryptionKey.key(validating: Data(count: 32)) }
        #expect(thrown { _ = try ArrayIndexConfiguration(path: "a", validating: []) } == .invalidParameter)
        #expect(thrown { _ = try ArrayIndexConfiguration(path: "a", validating: ["b", ""]) } == .invalidParameter)
        #expect(try ArrayIndexConfiguration(path: "a", validating: nil).expressions == nil)
        let web = try #require(URL(string: "http://example.com/a"))
        #expect(thrown { _ = try Blob(contentType: "t", validating: web) } == .couchbaseLite(CBLError.invalidURL))
        for path in [folder.path + "/none", folder.path] {
            let file = URL(fileURLWithPath: path)
            #expect(thrown { _ = try Blob(contentType: "t", validating: file) } == .couchbaseLite(CBLError.cantOpenFile))
        }
        let database = try folder.open()
        #expect(thrown { _ = try database.getBlob(validating: ["digest": "sha1-"]) } == .invalidParameter)
        let blob = Blob(contentType: "t", data: Data([1, 2]))
        try database.saveBlob(blob: blob)
        let properties: [String: Any] = [Blob.typeProperty: Blob.blobType, Blob.blobDigestProperty: try #require(blob.digest)]
        #expect(try database.getBlob(validating: properties)?.content == Data([1, 2]))
    }

    #if Replication
    @Test(
        "a URL endpoint throws invalidURL for a scheme other than ws or wss and for a URL with a user",
        arguments: ["http://localhost/db", "localhost/db", "ws://user@localhost/db", "wss://user:password@localhost/db"]
    )
    func badURLs(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(thrown { _ = try URLEndpoint(validating: url) } == .couchbaseLite(CBLError.invalidURL))
    }

    @Test("a replicator and its configuration throw for collections, times and targets that are not valid")
    func replicators() throws {
        let (database, other) = (try folder.open("a"), try folder.open("b"))
        let collection = try database.defaultCollection()
        let target = try URLEndpoint(validating: try #require(URL(string: "wss://localhost/db")))
        let config = ReplicatorConfiguration(target: target)
        #expect(thrown { _ = try Replicator(validating: config) } == .invalidParameter)
        #expect(thrown { try config.addCollections(validating: []) } == .invalidParameter)
        #expect(thrown { try config.addCollections(validating: [collection, try other.defaultCollection()]) } == .invalidParameter)
        let lost = try database.createCollection(name: "lost")
        try database.deleteCollection(name: "lost")
        #expect(thrown { try config.addCollection(validating: lost) } == .notOpen)
        #expect(config.collections.isEmpty)
        try config.addCollection(validating: collection)
        #expect(thrown { try config.addCollection(validating: try other.defaultCollection()) } == .invalidParameter)
        #expect(config.collections == [collection])
        for time in [-1, Double.nan] {
            #expect(thrown { try config.setHeartbeat(validating: time) } == .invalidParameter)
            #expect(thrown { try config.setMaxAttemptWaitTime(validating: time) } == .invalidParameter)
        }
        try config.setHeartbeat(validating: 60)
        try config.setMaxAttemptWaitTime(validating: 30)
        #expect(config.heartbeat == 60 && config.maxAttemptWaitTime == 30)
        #expect(try Replicator(validating: config).status.activity == .stopped)

        let toItself = ReplicatorConfiguration(target: DatabaseEndpoint(database: try folder.open("a")))
        try toItself.addCollection(validating: collection)
        #expect(thrown { _ = try Replicator(validating: toItself) } == .invalidParameter)
    }

    @Test("configurations of listeners throw for collections that cannot be served together")
    func listeners() throws {
        let (database, other) = (try folder.open("a"), try folder.open("b"))
        let collections = [try database.defaultCollection(), try other.defaultCollection()]
        for bad in [[], collections] {
            #expect(thrown { _ = try URLEndpointListenerConfiguration(validating: bad) } == .invalidParameter)
            let error = thrown { _ = try MessageEndpointListenerConfiguration(validating: bad, protocolType: .byteStream) }
            #expect(error == .invalidParameter)
        }
        #expect(try URLEndpointListenerConfiguration(validating: [collections[0]]).collections == [collections[0]])
        try database.close()
        #expect(thrown { _ = try URLEndpointListenerConfiguration(validating: [collections[0]]) } == .notOpen)
    }
    #endif
}
