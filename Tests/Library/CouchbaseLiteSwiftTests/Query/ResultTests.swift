import Foundation
import TestSupport
import Testing

@testable import CouchbaseLiteSwift

@Suite("Rows of results")
struct ResultTests {
    let folder: DatabaseFolder
    let database: Database

    init() throws {
        folder = try DatabaseFolder()
        database = try folder.open()
        let document = MutableDocument(
            id: "all",
            data: [
                "text": "eight", "number": 7.9, "big": UInt64.max, "yes": true, "nothing": NSNull(),
                "date": "2020-02-03T04:05:06.000Z", "list": [1, "two", ["three": 3]], "dictionary": ["key": "value"],
            ]
        )
        document.setBlob(Blob(contentType: "text/plain", data: Data("content".utf8)), forKey: "blob")
        try database.saveDocument(document)
        try database.saveDocument(MutableDocument(id: "empty"))
    }

    private static let columns =
        "text, number, big, yes, nothing, absent, date, list, dictionary, blob, number + 1, meta().id"

    private func row(_ id: String = "all", _ columns: String = columns) throws -> Result {
        let query = try database.createQuery("SELECT \(columns) FROM _ WHERE meta().id = '\(id)'")
        return try #require(try query.execute().next())
    }

    @Test("rows have all their columns in order")
    func columns() throws {
        let row = try row()
        let titles = [
            "text", "number", "big", "yes", "nothing", "absent", "date", "list", "dictionary", "blob", "$1", "id",
        ]
        #expect(row.count == 12)
        #expect(row.keys == titles)
        #expect(Array(row) == titles, "iteration gives the titles")
        #expect(try self.row("empty").keys == titles)
    }

    @Test("rows convert values as documents do, by index and by title")
    func getters() throws {
        let row = try row()
        for (index, title) in row.keys.enumerated() {
            #expect(row.string(at: index) == row.string(forKey: title))
            #expect(row.number(at: index) == row.number(forKey: title))
            #expect(row.int(at: index) == row.int(forKey: title))
            #expect(row.int64(at: index) == row.int64(forKey: title))
            #expect(row.double(at: index) == row.double(forKey: title))
            #expect(row.float(at: index) == row.float(forKey: title))
            #expect(row.boolean(at: index) == row.boolean(forKey: title))
            #expect(row.date(at: index) == row.date(forKey: title))
            #expect(row.blob(at: index) === row.blob(forKey: title))
            #expect(row.array(at: index) === row.array(forKey: title))
            #expect(row.dictionary(at: index) === row.dictionary(forKey: title))
            #expect((row.value(at: index) == nil) == (row.value(forKey: title) == nil))
        }
        #expect(row.string(forKey: "text") == "eight" && row.int(forKey: "text") == 0 && row.boolean(forKey: "text"))
        #expect(row.int(forKey: "number") == 7 && row.double(forKey: "number") == 7.9)
        #expect(row.string(forKey: "number") == nil)
        #expect(row.number(forKey: "big") as? UInt64 == .max)
        #expect(row.int(forKey: "yes") == 1 && row.number(forKey: "yes") == true)
        #expect(row.date(forKey: "date") == Date(timeIntervalSince1970: 1_580_702_706))
        #expect(row.date(forKey: "text") == nil)
        #expect(row.array(forKey: "list")?.dictionary(at: 2)?.int(forKey: "three") == 3)
        #expect(row.dictionary(forKey: "dictionary")?.string(forKey: "key") == "value")
        #expect(row.dictionary(forKey: "blob") == nil, "a blob is no dictionary")
        #expect(row.blob(forKey: "blob")?.content == Data("content".utf8))
        #expect(row.double(forKey: "$1") == 8.9)
        #expect(row.string(forKey: "id") == "all")
    }

    @Test("getters of rows return nil, zero or false for null, missing values and unknown titles")
    func nothing() throws {
        let row = try row()
        for title in ["nothing", "absent", "unknown"] {
            #expect(row.value(forKey: title) == nil && row.string(forKey: title) == nil)
            #expect(row.number(forKey: title) == nil && row.date(forKey: title) == nil)
            #expect(row.int(forKey: title) == 0 && row.int64(forKey: title) == 0)
            #expect(row.double(forKey: title) == 0 && row.float(forKey: title) == 0)
            #expect(!row.boolean(forKey: title))
            #expect(row.array(forKey: title) == nil && row.dictionary(forKey: title) == nil)
            #expect(row.blob(forKey: title) == nil)
        }
        #expect(row.contains(key: "nothing") && !row.contains(key: "absent") && !row.contains(key: "unknown"))
    }

    @Test("an index out of range raises an exception in getters of rows, and its fragment is empty")
    func outOfRangeIndex() throws {
        let row = try row()
        #expect(misuse { _ = row.value(at: 12) }?.name == outOfRange)
        #expect(misuse { _ = row.string(at: -1) }?.name == outOfRange)
        #expect(!row[12].exists && !row[-1].exists && row[12].string == nil && row[12].int == 0)
        #expect(row[0].string == "eight")
        #expect(row["list"][2]["three"].int == 3)
        #expect(row[8]["key"].string == "value")
        #expect(!row["unknown"]["key"][3].exists)
    }

    @Test("rows can be converted to arrays, dictionaries and JSON, and missing values are omitted where there are keys")
    func plain() throws {
        let row = try row("all", "text, nothing, absent, list, blob")
        let array = row.toArray()
        #expect(array.count == 5)
        #expect(array[0] as? String == "eight")
        #expect(array[1] is NSNull && array[2] is NSNull)
        #expect((array[3] as? [Any])?.count == 3)
        #expect((array[4] as? Blob)?.content == Data("content".utf8))
        let dictionary = row.toDictionary()
        #expect(dictionary.keys.sorted() == ["blob", "list", "nothing", "text"])
        #expect(dictionary["nothing"] is NSNull)
        let digest = try #require(row.blob(at: 4)?.digest)
        let blob = #"{"@type":"blob","content_type":"text/plain","digest":"\#(digest)","length":7}"#
        #expect(row.toJSON() == #"{"text":"eight","nothing":null,"list":[1,"two",{"three":3}],"blob":\#(blob)}"#)
        #expect(try self.row("empty", "text, list").toJSON() == "{}")
    }

    @Test("rows of a star have all properties under the name of their source, and none of a missing document")
    func allProperties() throws {
        let row = try row("empty", "*")
        #expect(row.keys == ["_"])
        #expect(row.dictionary(at: 0)?.count == 0)
        let query = try database.createQuery(
            "SELECT a.text, b.*, b.text, meta(b).id FROM _ AS a LEFT JOIN _ AS b ON b.text = 'none' WHERE a.text IS VALUED"
        )
        let joined = try #require(try query.execute().next())
        #expect(joined.toJSON() == #"{"text":"eight"}"#)
        #expect(joined.keys.map(joined.contains) == [true, false, false, false])
    }

    @Test("rows track missing values in any number of columns")
    func manyColumns() throws {
        let columns = (0..<100).map { $0 % 2 == 0 ? "text AS c\($0)" : "absent AS c\($0)" }
        let row = try row("all", columns.joined(separator: ", "))
        #expect(row.count == 100)
        #expect((0..<100).allSatisfy { row.contains(key: "c\($0)") == ($0 % 2 == 0) })
        #expect(row.toDictionary().count == 50)
    }

    @Test("rows remain readable after the result set ended and the database was changed or deleted")
    func outlive() throws {
        let query = try database.createQuery("SELECT \(Self.columns) FROM _ ORDER BY meta().id")
        let results = try query.execute()
        let row = try #require(results.next())
        let large = Data(repeating: 7, count: 100_000)
        try database.saveDocument(MutableDocument(id: "large").setBlob(Blob(contentType: "x", data: large), forKey: "blob"))
        let largeBlob = try #require(self.row("large").blob(forKey: "blob"))
        #expect(largeBlob.content == large)
        try database.purgeDocument(withID: "all")
        #expect(results.allResults().count == 1, "the rest")
        #expect(results.next() == nil)
        #expect(results.allResults().isEmpty)
        #expect(results.map { $0 }.isEmpty)
        // The results do not keep the file open.
        try database.performMaintenance(type: .compact)
        try database.delete()
        #expect(row.string(forKey: "text") == "eight")
        #expect(row.array(forKey: "list")?.toArray().count == 3)
        #expect(row.toDictionary().count == 11)
        #expect(row.blob(forKey: "blob")?.length == 7)
        #expect(row.blob(forKey: "blob")?.content == nil, "contents are in the database")
        #expect(largeBlob.content == nil)
    }

    @Test("a result set can be read by several threads, and each row is returned once")
    func threads() throws {
        try database.inBatch {
            for number in 0..<500 { try database.saveDocument(MutableDocument(id: "\(number)")) }
        }
        let results = try database.createQuery("SELECT meta().id FROM _").execute()
        let taken = Recorder<String>()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            while let row = results.next() { taken.append(row.string(at: 0) ?? "") }
        }
        #expect(taken.all.count == 502)
        #expect(Set(taken.all).count == 502)
    }
}
