#if Replication
import Foundation
import TestSupport

@testable import CouchbaseLiteSwift

extension Replicator {
    /// Starts the replicator, waits for its end without blocking a thread that it may need, and returns the reported documents, in the
    /// order of the directions and IDs.
    ///
    /// - Throws: The error of the replicator, or the first error of a document.
    @discardableResult
    func runToEnd(reset: Bool = false) async throws -> [String] {
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

    /// Waits, without blocking a thread, until the replicator has this activity, and returns the status with it: the next status may follow
    /// at once.
    @discardableResult
    func wait(for activity: ActivityLevel) async -> Status {
        let statuses = statusChanges()
        let current = status
        if current.activity == activity { return current }
        for await status in statuses where status.activity == activity { return status }
        return status
    }
}

/// Domain and code of the error that `body` throws, caught as in apps; nil if it throws none.
func thrown(_ body: () async throws -> Void) async -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch let error as NSError {
        return ErrorCode(domain: error.domain, code: error.code)
    }
}
#endif
