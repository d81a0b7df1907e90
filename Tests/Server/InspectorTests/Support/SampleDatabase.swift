import CouchbaseLiteSwift
import DocumentStore
import Fleece
import Foundation
import QueryEngine
import TestSupport

/// A database with everything that the inspector shows: many documents, blobs, a conflict, an index, and texts that look like HTML.
final class SampleDatabase {
    static let hostileID = "<img src=x onerror=alert(1)>"
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("sample.cblite2")
        let database = try open()
        let collection = try database.defaultCollection()
        try database.inBatch {
            for number in 0..<120 {
                let id = "person-" + String(repeating: "0", count: 3 - String(number).count) + String(number)
                try collection.save(document: MutableDocument(id: id, json: Self.person(number)))
            }
            let attachments = MutableDocument(id: "attachments")
            for (key, type, content) in Self.blobs {
                attachments.setBlob(Blob(contentType: type, data: Data(content)), forKey: key)
            }
            try collection.save(document: attachments)
            try collection.save(
                document: MutableDocument(id: Self.hostileID, json: #"{"<b>key</b>":"</script><script>alert(1)</script>"}"#)
            )
            let mixed = #"{"الاسم":"مرحبا بالعالم","wide":"日本語テキスト 👩‍👩‍👧","mixed":"abc שלום def"}"#
            try collection.save(document: MutableDocument(id: "مثال-٣", json: mixed))
        }
        for name in ["hotels", "room10", "room2"] { _ = try database.createCollection(name: name, scope: "travel") }
        try collection.createIndex(withName: "by_age", config: ValueIndexConfiguration(["age"]))
        try tear(collection)
        try database.close()
    }

    func open(readOnly: Bool = false) throws -> Database {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.isReadOnly = readOnly
        return try Database(path: path, options: options)
    }

    /// Receives the document `torn` from another database, changes it here, and receives another change of it.
    private func tear(_ collection: Collection) throws {
        guard let base = RevisionID("1-00aa"), let other = RevisionID("2-00ff") else { throw SampleError() }
        _ = try receive(base, [], #"{"title":"Base","note":"base","same":1}"#, in: collection)
        guard let document = try collection.document(id: "torn")?.toMutable() else { throw SampleError() }
        try collection.save(document: document.setString("Mine", forKey: "title").setString("mine", forKey: "note"))
        let outcome = try receive(other, [base], #"{"title":"Theirs","note":"base","same":1}"#, in: collection)
        guard case .inserted(_, true) = outcome else { throw SampleError() }
    }

    private func receive(_ revision: RevisionID, _ history: [RevisionID], _ json: String, in collection: Collection) throws
        -> ReceivedRevisionOutcome
    {
        let body = OwnedBody(try JSON.fleece(json))
        let received = ReceivedRevision(documentID: "torn", revision: revision, history: history, body: body)
        return try collection.database.openFile().transaction { try collection.store.insert(received, remote: 1, in: $0) }
    }

    private static func person(_ number: Int) -> String {
        #"""
        {"name":"Person \#(number)","age":\#(20 + number % 60),"team":"\#(["red", "green", "blue"][number % 3])","big":9007199254740993,\#
        "address":{"city":"Kathmandu","zip":"0\#(number)"},"tags":["a","b"],"active":\#(number % 2 == 0),"none":null,\#
        "note":"A longer text that goes on over the width of a line, so that it is wrapped in the tree and cut in the list."}
        """#
    }

    /// An image of 8 by 8 pixels, a text, a page and a sound.
    static let blobs: [(key: String, type: String, content: [UInt8])] = [
        ("photo", "image/png", Array(Data(base64Encoded: png) ?? Data())), ("text", "text/plain", Array("Grüße aus Wien".utf8)),
        ("page", "text/html", Array("<script>window.broken = true</script>".utf8)),
        ("sound", "audio/wav", Array(Data(base64Encoded: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=") ?? Data())),
    ]

    private static let png =
        "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mPgL8vDihiGlgQApWE8wYpLEGkAAAAASUVORK5CYII="
}

private struct SampleError: Error {}
