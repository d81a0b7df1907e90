import CouchbaseLiteSwift
import DocumentStore
import Fleece
import QueryEngine
import TestSupport

/// A database with very many small documents, which were created in one batch.
final class LargeDatabase {
    static let count = 200_000
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("large.cblite2")
        var options = DatabaseFile.Options()
        options.supportQueries()
        let database = try Database(path: path, options: options)
        let store = try database.defaultCollection().store
        try database.openFile().transaction { writer in
            for number in 0..<Self.count {
                let id = "document-" + String(1_000_000 + number)
                _ = try store.save(DocumentSave(id, base: .none, isLikelyStored: false), in: writer) { encoder in
                    encoder.beginDictionary()
                    encoder.writeKey("n")
                    encoder.write(Int64(number))
                    encoder.endDictionary()
                    return false
                }
            }
        }
        try database.close()
    }

    /// Opens the database for reading, so that the connections that read may take at most a number of steps of SQLite's virtual machine.
    func open(maximumSteps: Int) throws -> Database {
        var options = DatabaseFile.Options()
        options.supportQueries()
        options.isReadOnly = true
        options.maximumSteps = maximumSteps
        return try Database(path: path, options: options)
    }
}
