import Foundation

/// Threads that many connections share, such as those that do network I/O: code on them must not wait for code of the app.
package enum SharedThread {
    private static let key = "CouchbaseLite.SharedThread"

    /// Marks the calling thread as shared, until it ends.
    package static func mark() {
        Thread.current.threadDictionary[key] = true
    }

    /// Whether the calling thread is shared.
    package static var isCurrent: Bool {
        Thread.current.threadDictionary[key] != nil
    }
}
