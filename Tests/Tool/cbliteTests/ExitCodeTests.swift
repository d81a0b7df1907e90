import CouchbaseLiteSwift
import DocumentStore
import Fleece
import Foundation
import SQLiteEngine
import TestSupport
import Testing

@testable import cblite

@Suite("Exit codes")
struct ExitCodeTests {
    private static let storeErrorCodes: [(StoreError, ExitReason)] = [
        (.missing(path: "p"), .notFound), (.alreadyExists(path: "p"), .cannotCreate),
        (.notADirectory(path: "p"), .badData), (.notADatabase(path: "p"), .badData),
        (.encrypted(path: "p"), .badData), (.tooOld(path: "p", version: 1), .unsupportedVersion),
        (.tooNew(path: "p", version: 1), .unsupportedVersion),
        (.cannotUpgrade(path: "p", version: 1, reason: "r"), .unsupportedVersion),
        (.wrongFormat(path: "p", reason: "r"), .badData), (.locked(path: "p"), .busy),
        (.readOnlyMedium(path: "p"), .noPermission), (.notWritable(path: "p"), .noPermission),
        (.inUse(path: "p"), .busy), (.conflict(documentID: "d"), .conflict),
        (.invalidDocumentID("d"), .usage), (.invalidCollectionName("c"), .usage), (.invalidDatabaseName("/"), .usage),
        (.reservedKey("_id", documentID: "d"), .badData),
        (.corruptDocument(documentID: "d", reason: "r"), .badData), (.corrupt(path: "p", reason: "r"), .badData),
    ]

    @Test("every store error has a defined exit code", arguments: storeErrorCodes)
    func storeErrors(error: StoreError, status: ExitReason) throws {
        let failure = try #require(Failure(error))
        #expect(failure.status == status)
        #expect(failure.message == error.description)
    }

    private static let otherErrorCodes: [(any Error, ExitReason)] = [
        (SQLiteError(extendedCode: 5, message: "m"), .busy), (SQLiteError(extendedCode: 261, message: "m"), .busy),
        (SQLiteError(extendedCode: 11, message: "m"), .badData),
        (SQLiteError(extendedCode: 26, message: "m"), .badData),
        (SQLiteError(extendedCode: 8, message: "m"), .noPermission),
        (SQLiteError(extendedCode: 13, message: "m"), .inputOutput),
        (SQLiteError(extendedCode: 10, message: "m"), .inputOutput),
        (SQLiteError(extendedCode: 1, message: "m"), .internalError),
        (BlobError(.notFound, action: "open", path: "p"), .notFound),
        (BlobError(.system(EACCES), action: "open", path: "p"), .noPermission),
        (BlobError(.system(ENOSPC), action: "write", path: "p"), .inputOutput),
        (BlobError(.damaged, action: "read", path: "p"), .inputOutput),
        (FleeceError(.badRoot), .badData), (CocoaError(.fileReadNoSuchFile), .notFound),
        (CocoaError(.fileWriteNoPermission), .noPermission), (CocoaError(.fileWriteFileExists), .cannotCreate),
        (OutputError.failed(errno: ENOSPC), .inputOutput),
    ]

    @Test("SQLite errors and system errors have defined exit codes", arguments: otherErrorCodes)
    func otherErrors(error: any Error, status: ExitReason) throws {
        #expect(try #require(Failure(error)).status == status)
    }

    private static let publicCodes: [(Int, ExitReason)] = [
        (CBLError.notFound, .notFound), (CBLError.missingIndex, .notFound), (CBLError.invalidQuery, .usage),
        (CBLError.badDocID, .usage), (CBLError.busy, .busy), (CBLError.notWriteable, .noPermission),
        (CBLError.corruptData, .badData), (CBLError.unreadableDatabase, .badData), (CBLError.invalidJSON, .badData),
        (CBLError.databaseTooNew, .unsupportedVersion), (CBLError.conflict, .conflict), (CBLError.ioError, .inputOutput),
    ]

    @Test("errors of the public API have their exit codes, also inside a batch", arguments: publicCodes)
    func publicErrors(code: Int, status: ExitReason) throws {
        let error = NSError(domain: CBLError.domain, code: code, userInfo: [NSLocalizedDescriptionKey: "m"])
        #expect(try #require(Failure(error)).status == status)
        let info: [String: Any] = [NSUnderlyingErrorKey: error]
        let wrapped = NSError(domain: CBLError.domain, code: CBLError.unexpectedError, userInfo: info)
        #expect(try #require(Failure(wrapped)).status == status)
    }

    @Test("cblite exits with the exit code of the error")
    func real() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        try tool.expectFailure(64, "Usage", "ls")
        try tool.expectFailure(64, "Unknown option", "ls", "db", "--nonsense")
        try tool.expectFailure(64, "--limit", "ls", "db", "--limit", "-1")
        try tool.expectFailure(64, "--busy-timeout", "ls", "db", "--busy-timeout", "-1")
        try tool.expectFailure(66, "no database at", "ls", "none")
        try tool.write("file.cblite2", "text")
        try tool.expectFailure(65, "is a file", "ls", "file")
        try tool.write("text.cblite2/db.sqlite3", "this is a text and no database")
        try tool.expectFailure(65, "not a database", "ls", "text")
        try tool.write("empty.cblite2/other", "")
        try tool.expectFailure(66, "no database at", "ls", "empty")
    }

    @Test("newer and foreign database versions are refused, and a newer file is not changed")
    func versions() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        func execute(_ sql: String) throws {
            let connection = try Connection(path: tool.directory.path("db.cblite2/db.sqlite3"), mode: .create)
            try connection.execute(sql)
            try connection.close()
        }
        try execute("PRAGMA user_version = 600")
        let before = try tool.contents(of: "db.cblite2")
        try tool.expectFailure(78, "newer release", "ls", "db")
        try tool.expectFailure(78, "newer release", "put", "db", "a", "{}")
        #expect(try tool.contents(of: "db.cblite2") == before)
        try execute("PRAGMA user_version = 503; DELETE FROM kv_info WHERE key = 'versioning'")
        try tool.expectFailure(65, "not a database of documents", "ls", "db")
    }

    @Test("a database that another process writes to is readable and refuses writers as locked")
    func busy() throws {
        let tool = try Tool()
        try tool.makeDatabase()
        let other = try Connection(path: tool.directory.path("db.cblite2/db.sqlite3"), mode: .create)
        try other.execute("BEGIN IMMEDIATE; UPDATE kvmeta SET lastSeq = 9")
        try tool.expectFailure(69, "locked", "put", "db", "a", "{}", "--busy-timeout", "0.05")
        #expect(try tool.lines("ls", "db") == ["a", "b", "c"])
        try other.execute("ROLLBACK")
        try other.close()
        try tool.lines("put", "db", "a", "{}")
    }

    @Test("the help text lists all exit codes")
    func table() throws {
        let help = try Tool().lines("--help").joined(separator: "\n")
        for status in ExitReason.allCases {
            #expect(help.contains("  \(String(status.rawValue).padded(to: 4))\(status.meaning)"))
        }
    }
}
