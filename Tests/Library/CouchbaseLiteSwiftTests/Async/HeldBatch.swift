import CouchbaseLiteSwift
import Foundation
import TestSupport

/// A batch on a separate thread, which lasts until it is ended. No other thread can write during this time.
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
