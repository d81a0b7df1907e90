import Foundation
import SQLiteEngine
import TestSupport

@testable import DocumentStore

/// Databases for tests that damage them. Every page with a part of a document contains the ID of the document.
enum DamagedDatabases {
    /// A database of 588 documents and 12 tombstones, closed, and the JSON of its documents by ID.
    static func make(_ options: DatabaseFile.Options) throws -> (TestDatabase, documents: [String: String]) {
        let database = try TestDatabase(options: options)
        let collection = try database.collection()
        var documents: [String: String] = [:]
        try database.file.transaction { writer in
            for number in 0..<600 {
                let id = "document-\(1000 + number)"
                // Some are longer than a page.
                let text = String(repeating: id + " ", count: number % 40 == 0 ? 900 : 4)
                let json = #"{"n":\#(number),"text":"\#(text)"}"#
                try collection.save(DocumentSave(id, base: .latest), json, hasBlobs: false, in: writer)
                documents[id] = json
            }
        }
        for number in stride(from: 5, to: 600, by: 50) {
            let id = "document-\(1000 + number)"
            try database.delete(id)
            documents[id] = nil
        }
        try database.file.compact()
        try database.close()
        return (database, documents)
    }

    static func options(encrypted: Bool) -> DatabaseFile.Options { encrypted ? .key(.test(1)) : .init() }

    /// Overwrites a page of the database file.
    static func overwrite(page: Int, of bundle: BundlePath, encrypted: Bool, with bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: bundle.sqliteFile))
        try file.seek(toOffset: UInt64((encrypted ? 4096 : 0) + (page - 1) * 4096))
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }
}
