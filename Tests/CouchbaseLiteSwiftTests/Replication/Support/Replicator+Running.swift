#if Replication
import Foundation
import TestSupport

@testable import CouchbaseLiteSwift

extension Replicator {
    /// Starts it, waits for its end without blocking a thread that it may need, and returns the documents that were told, in the
    /// order of the directions and IDs.
    ///
    /// - Throws: The error that it ended with, or the first one of a document.
    @discardableResult
    func run(reset: Bool = false) async throws -> [String] {
        let statuses = statusChanges()
        let documents = Recorder<Swift.Result<String, NSError>>()
        let queue = DispatchQueue(label: "test.run")
        let token = addDocumentReplicationListener(withQueue: queue) { replication in
            for document in replication.documents {
                if let error = document.error as NSError? {
                    documents.append(.failure(error))
                } else {
                    documents.append(.success("\(replication.isPush ? "push" : "pull") \(document.id)"))
                }
            }
        }
        start(reset: reset)
        for await status in statuses where status.activity == .stopped { break }
        queue.sync {}
        token.remove()
        if let error = status.error { throw error }
        return try documents.all.map { try $0.get() }.sorted()
    }

    /// Waits, without blocking a thread, until it has that activity, and returns the status with it: the next one may follow at
    /// once.
    @discardableResult
    func wait(for activity: ActivityLevel) async -> Status {
        let statuses = statusChanges()
        let current = status
        if current.activity == activity { return current }
        for await status in statuses where status.activity == activity { return status }
        return status
    }
}

/// Domain and code of what `body` throws, caught the way apps do it; nil when it throws nothing.
func thrown(_ body: () async throws -> Void) async -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch let error as NSError {
        return ErrorCode(domain: error.domain, code: error.code)
    }
}
#endif
