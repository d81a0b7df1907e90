import Foundation
import TestSupport

@testable import SQLiteEngine

/// An encrypted file in its own directory, with helper functions for tests.
final class EncryptedTestFile {
    static let marker = "the quick brown marker"

    let directory: TemporaryDirectory
    let path: String
    let secret: EncryptionSecret
    private(set) var system: EncryptedFileSystem

    init(secret: EncryptionSecret = EncryptionSecret(password: "secret", iterations: 10)) throws {
        directory = try TemporaryDirectory()
        path = directory.path("db.sqlite3")
        self.secret = secret
        system = try EncryptedFileSystem.create(at: path, with: secret)
    }

    /// A file with the same bytes.
    init(copyOf other: EncryptedTestFile, withLog: Bool = true) throws {
        directory = try TemporaryDirectory()
        path = directory.path("db.sqlite3")
        secret = other.secret
        for suffix in withLog ? ["", LogName.suffix] : [""] {
            try FileManager.default.copyItem(atPath: other.path + suffix, toPath: path + suffix)
        }
        system = try EncryptedFileSystem(opening: path, with: secret)
    }

    func connect() throws -> Connection {
        let connection = try Connection(path: path, mode: .readWrite, encryption: system)
        try connection.execute("PRAGMA temp_store=memory; PRAGMA synchronous=normal")
        return connection
    }

    /// A connection, and a table.
    func make() throws -> Connection {
        let connection = try connect()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x TEXT)")
        return connection
    }

    /// Adds rows in one transaction, a page for every six.
    func fill(_ connection: Connection, _ count: Int) throws {
        try connection.transaction(.immediate) {
            let insert = try connection.prepare("INSERT INTO t (x) VALUES (?)")
            for i in 0..<count {
                try insert.bindText("\(Self.marker) \(i) " + String(repeating: "x", count: 600), at: 1)
                try insert.run()
            }
        }
    }

    /// The number of rows, all of which are complete.
    func wholeRows() throws -> Int64? {
        let connection = try connect()
        guard try connection.scalarText("PRAGMA integrity_check") == "ok" else { return nil }
        return try connection.scalar("SELECT count(*) FROM t WHERE x LIKE '\(Self.marker)%' AND length(x) > 600")
    }

    func bytes(_ suffix: String = "") throws -> [UInt8] {
        try Array(Data(contentsOf: URL(fileURLWithPath: path + suffix)))
    }

    func setBytes(_ bytes: [UInt8], _ suffix: String = "") throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
    }

    func change(_ suffix: String = "", _ body: (inout [UInt8]) -> Void) throws {
        var bytes = try bytes(suffix)
        body(&bytes)
        try setBytes(bytes, suffix)
    }
}
