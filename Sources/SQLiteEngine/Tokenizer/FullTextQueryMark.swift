internal import CLibrary

/// Marks the calling thread as running a query, in contrast to writing documents. The tokenizer, which SQLite only passes the text, keeps a
/// stop word before `*` in a pattern, where it searches for words with that prefix, but not in a document (Query 6.9).
package enum FullTextQueryMark {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // If no key can be created, the mark is never set, and such patterns match nothing.
        pthread_key_create(&key, nil)
        return key
    }()

    static var isSet: Bool { pthread_getspecific(key) != nil }

    /// Runs `body`, which steps the statements of a query. The overhead is a few nanoseconds.
    package static func whileRunningQuery<Result>(_ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, outer) }
        return try body()
    }
}
