import DatabaseRuntime

/// Reports programming errors of the app, which end the process (API 1.3).
enum _CBLMisuse {
    // Safe because `lock` guards it. The type is not `@Sendable`, so that handlers may capture any value.
    nonisolated(unsafe) private static var currentHandler: ((_ name: String, _ reason: String) -> Void)?
    private static let lock = NSLock()

    /// Called before the process is ended. The handler may block the thread forever instead of returning.
    static var handler: ((_ name: String, _ reason: String) -> Void)? {
        get { lock.withLock { currentHandler } }
        set { lock.withLock { currentHandler = newValue } }
    }

    /// Reports a programming error and ends the process. Must be called without holding a lock, and before any state is changed.
    ///
    /// - Parameter name: `NSInvalidArgumentException`, `NSInternalInconsistencyException` or `NSRangeException`.
    static func fail(_ name: String, _ reason: String) -> Never {
        handler?(name, reason)
        fatalError("\(name): \(reason)")
    }

    /// Reports an argument that is never valid.
    static func invalidArgument(_ reason: String) -> Never { fail(.invalidArgument(reason)) }

    /// Reports what is wrong with the arguments of a call.
    static func fail(_ misuse: Misuse) -> Never { fail(misuse.name, misuse.reason) }

    /// Runs `check`, and reports what is wrong.
    static func trap<Result>(_ check: () throws(Misuse) -> Result) -> Result { do { return try check() } catch { fail(error) } }

    /// Reports a call that is not allowed in the current state.
    static func inconsistency(_ reason: String) -> Never { fail("NSInternalInconsistencyException", reason) }

    /// Reports an index that does not exist.
    static func outOfRange(_ index: Int, count: Int) -> Never {
        fail("NSRangeException", "The index \(index) is out of range: the array has \(count) elements")
    }
}
