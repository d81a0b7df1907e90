import Foundation

/// Threads that many connections share, such as those that move the bytes of the network: nothing on them may wait for code of the app.
package enum SharedThread {
    private static let key = "CouchbaseLite.SharedThread"

    /// Marks the calling thread as such a one, as long as it lives.
    package static func mark() {
        Thread.current.threadDictionary[key] = true
    }

    /// Whether the calling thread is such a one.
    package static var isCurrent: Bool {
        Thread.current.threadDictionary[key] != nil
    }
}
