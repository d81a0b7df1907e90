import DocumentStore
import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

@testable import DatabaseRuntime

@Suite("The open file of a database")
struct DatabaseCoreTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.url.appendingPathComponent("db.cblite2").path
    }

    private func open(_ options: DatabaseFile.Options = DatabaseFile.Options()) throws -> DatabaseCore {
        try DatabaseCore("db", at: path, options)
    }

    @Test("a closed database has no file, no directory and no default collection")
    func closing() throws {
        let core = try open()
        #expect(core.directory == path)
        #expect(try core.defaultCollection.id == .default)
        try core.close()
        #expect(core.directory == nil)
        #expect(throws: StoreError.self) { try core.openFile() }
        #expect(throws: StoreError.self) { try core.defaultCollection }
        try core.close()
    }

    @Test("closing stops the activities first, and prevents new ones")
    func activities() throws {
        let core = try open()
        let wasOpen = Mutex<Bool?>(nil)
        let number = Mutex<Int?>(nil)
        let begun = core.activities.begin(stop: { [weak core] in
            wasOpen.withLock { $0 = core?.directory != nil }
            if let number = number.withLock({ $0 }) { core?.activities.end(number) }
        })
        number.withLock { $0 = begun }
        try core.close()
        #expect(wasOpen.withLock { $0 } == true)
        let later = core.activities.begin(stop: {})
        #expect(later == nil)
    }

    @Test("a database cannot be closed inside a transaction, and then allows new activities")
    func closingInsideTransaction() throws {
        let core = try open()
        try core.batch {
            #expect(throws: StoreError.self) { try core.close() }
            #expect(throws: StoreError.self) { try core.delete() }
        }
        let later = core.activities.begin(stop: {})
        #expect(later != nil)
    }

    @Test("a database that another object uses is not deleted, and stays open")
    func deleting() throws {
        let core = try open()
        do {
            let other = try open()
            #expect(throws: (any Error).self) { try core.delete() }
            #expect(core.directory == path)
            let number = core.activities.begin(stop: {})
            core.activities.end(try #require(number))
            try other.close()
        }
        try core.delete()
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(throws: StoreError.self) { try core.delete() }
    }

    @Test("the file is closed when the last object is released")
    func releasing() throws {
        let file = try open().openFile()
        #expect(file.isClosed)
    }

    @Test("a batch is invisible to another object on the same thread")
    func batches() throws {
        let (core, other) = (try open(), try open())
        try core.batch {
            let isInside = try core.withFile { $0.isInTransaction }
            #expect(isInside)
            #expect(throws: (any Error).self) { try other.batch {} }
        }
        try other.batch {}
    }

    @Test("the key is that of the last change, and the password is not retained")
    func keys() throws {
        var options = DatabaseFile.Options()
        options.key = EncryptionSecret(key: [UInt8](repeating: 1, count: 32))
        let core = try open(options)
        #expect(core.options.key == nil)
        #expect(core.key != nil)
        try core.changeKey(to: nil)
        #expect(core.key == nil)
        try core.close()
        #expect(throws: StoreError.self) { try core.changeKey(to: nil) }
    }
}
