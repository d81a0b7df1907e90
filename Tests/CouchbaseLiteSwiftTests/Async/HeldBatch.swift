import CouchbaseLiteSwift
import Foundation
import TestSupport

/// A batch that a thread of its own is in until it is told to end: nobody else can write meanwhile.
final class HeldBatch: Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let ended = Recorder<Bool>()

    init(_ database: Database) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [release, ended] in
                try? database.inBatch {
                    continuation.resume()
                    release.wait()
                }
                ended.append(true)
            }
        }
    }

    /// Ends the batch. Returns after it has been committed.
    func end() {
        release.signal()
        ended.wait(forCount: 1)
    }
}
