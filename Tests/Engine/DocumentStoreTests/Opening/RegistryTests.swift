import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import DocumentStore

@Suite("Registry of open databases")
struct RegistryTests {
    @Test("all spellings of a path share one open file until its last user closes it")
    func shared() throws {
        let directory = try TemporaryDirectory()
        let link = directory.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.url.path)
        // Created through the link, so that the name is known before the database exists.
        let one = try DatabaseRegistry.open(link + "/a.cblite2")
        let two = try DatabaseRegistry.open(directory.path("a.cblite2") + "/")
        let three = try DatabaseRegistry.open(directory.path("./a.cblite2"))
        #expect(one === two)
        #expect(one === three)
        try DatabaseRegistry.close(one)
        try DatabaseRegistry.close(two)
        try three.transaction { _ in }
        try DatabaseRegistry.close(three)
        #expect(throws: StoreError.self) { try three.transaction { _ in } }
        // Closing once too often has no effect.
        try DatabaseRegistry.close(three)
    }

    @Test("a database in use cannot be deleted, except by its only user")
    func deletion() throws {
        let database = try TestDatabase()
        let inUse = StoreError.inUse(path: database.file.bundle.directory)
        #expect(throws: inUse) { try DatabaseRegistry.delete(database.bundle.path) }
        var readOnly = DatabaseFile.Options()
        readOnly.isReadOnly = true
        let reader = try DatabaseRegistry.open(database.bundle.path, options: readOnly)
        #expect(throws: inUse) { try DatabaseRegistry.delete(database.bundle.path, closing: database.file) }
        try DatabaseRegistry.close(reader)
        #expect(try DatabaseRegistry.delete(database.bundle.path, closing: database.file))
        #expect(!FileManager.default.fileExists(atPath: database.bundle.path))
        #expect(try !DatabaseRegistry.delete(database.bundle.path))
    }

    @Test("closing or deleting a database inside its own transaction or read is refused")
    func closingFromWithin() throws {
        let database = try TestDatabase()
        let inUse = StoreError.inUse(path: database.file.bundle.directory)
        try database.file.transaction { _ in
            #expect(throws: inUse) { try database.close() }
            _ = #expect(throws: StoreError.inTransaction(path: database.file.bundle.directory)) {
                try DatabaseRegistry.delete(database.bundle.path, closing: database.file)
            }
        }
        try database.file.read { _ in
            #expect(throws: inUse) { try database.close() }
            _ = #expect(throws: inUse) { try DatabaseRegistry.delete(database.bundle.path, closing: database.file) }
        }
        try database.save("a", "{}")
        #expect(try DatabaseRegistry.open(database.bundle.path) === database.file)
        try DatabaseRegistry.close(database.file)
        try database.checkAndClose()
    }

    @Test("threads that close a database at once close it with its last user, and it can be opened again")
    func concurrentClosing() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        let file = database.file
        for _ in 0..<3 { #expect(try DatabaseRegistry.open(database.bundle.path) === file) }
        try onThreads(3) { _ in try DatabaseRegistry.close(file) }
        #expect(!file.isClosed)
        // One of them closes the file, and the others find nothing to close.
        try onThreads(3) { _ in try DatabaseRegistry.close(file) }
        #expect(file.isClosed)
        try database.reopen()
        #expect(try database.json("a") == "{}")
        try database.checkAndClose()
    }

    /// Closes a file when an SQL function is called, and stores the error.
    private final class Closer {
        weak var file: DatabaseFile?
        var error: (any Error)?
    }

    @Test("a file that SQLite cannot close properly is closed nevertheless, and the next user opens it again")
    func closingFails() throws {
        let database = try TestDatabase()
        try database.save("a", "{}")
        let file = database.file
        let closer = Closer()
        closer.file = file
        let connection = try file.writer().connection
        try file.withWritersBlocked {
            try connection.registerFunction(name: "close_file", argumentCount: 0, userData: closer) { context, _, _ in
                guard let called = FunctionContext(context).userData(as: Closer.self), let open = called.file else { return }
                do {
                    try DatabaseRegistry.close(open)
                } catch {
                    called.error = error
                }
            }
            // SQLite does not close a connection that is running a statement.
            try connection.execute("SELECT close_file()")
        }
        #expect((closer.error as? SQLiteError)?.isBusy == true)
        #expect(file.isClosed)
        #expect(throws: StoreError.self) { try file.transaction { _ in } }
        #expect(throws: StoreError.self) { try file.read { _ in } }
        let other = try DatabaseRegistry.open(database.bundle.path)
        #expect(other !== file)
        #expect(try other.collection(.default)?.count() == 1)
        try DatabaseRegistry.close(other)
    }

    @Test("closing a busy file does not block opening another one")
    func closingWaits() throws {
        let database = try TestDatabase()
        let closing = DispatchSemaphore(value: 0)
        let closed = DispatchSemaphore(value: 0)
        let file = database.file
        try database.file.transaction { _ in
            Thread.detachNewThread {
                closing.signal()
                try? DatabaseRegistry.close(file)
                closed.signal()
            }
            closing.wait()
            // Whether or not the other thread waits already: with a single lock for all files this would never end.
            let other = try TestDatabase()
            try other.save("a", "{}")
        }
        closed.wait()
        #expect(throws: StoreError.self) { try file.transaction { _ in } }
    }
}
