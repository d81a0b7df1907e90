import CouchbaseLiteSwift
import DocumentStore
import Foundation
import QueryEngine
import TestSupport
import Testing

/// A directory of databases, which is removed after the last use.
final class DatabaseFolder: Sendable {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    var path: String { directory.url.path }

    var config: DatabaseConfiguration {
        let config = DatabaseConfiguration()
        config.directory = path
        return config
    }

    /// Opens a database, which is created if there is none.
    func open(_ name: String = "db") throws -> Database {
        try Database(name: name, config: config)
    }

    /// The directory of a database's files.
    func bundle(_ name: String = "db") -> URL {
        directory.url.appendingPathComponent(name + ".cblite2")
    }

    /// The names of the directory's entries.
    var contents: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }

    /// The problems that the library's checker and the independent checker find in a database.
    func problems(_ name: String = "db") throws -> [String] {
        var options = DatabaseFile.Options()
        options.isReadOnly = true
        // Checking an index computes its expressions.
        options.supportQueries()
        let file = try DatabaseRegistry.open(bundle(name).path, options: options)
        defer { try? DatabaseRegistry.close(file) }
        let found = try BundleChecker(file).findings().map(\.description)
        return try found + DatabaseChecker.check(bundle(name)).problems
    }
}

/// Domain and code of an error.
struct ErrorCode: Equatable, Sendable, CustomStringConvertible {
    let domain: String
    let code: Int

    static func couchbaseLite(_ code: Int) -> ErrorCode { ErrorCode(domain: "CouchbaseLite", code: code) }
    static func posix(_ code: Int32) -> ErrorCode { ErrorCode(domain: NSPOSIXErrorDomain, code: Int(code)) }

    static let notOpen = couchbaseLite(CBLError.notOpen)
    static let notFound = couchbaseLite(CBLError.notFound)
    static let invalidParameter = couchbaseLite(CBLError.invalidParameter)
    static let busy = couchbaseLite(CBLError.busy)
    static let transactionNotClosed = couchbaseLite(CBLError.transactionNotClosed)

    var description: String { "\(domain) \(code)" }
}

/// The error that `body` throws, caught as in apps; nil if it throws none.
func thrown(_ body: () throws -> Void) -> ErrorCode? {
    do {
        try body()
        return nil
    } catch let error as NSError {
        return ErrorCode(domain: error.domain, code: error.code)
    }
}

/// Runs `body` on a separate thread and waits for its end, for tests of state that belongs to threads.
func onOtherThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var result: Swift.Result<Value, any Error>?
    Thread.detachNewThread {
        result = Swift.Result { try body() }
        done.signal()
    }
    done.wait()
    return try #require(result).get()
}
