/// Programming errors of the caller (API 1.3). Everything that must not go on ends here.
enum _CBLMisuse {
    // Guarded by `lock`. The type has no `@Sendable` so that handlers may capture what they like.
    nonisolated(unsafe) private static var currentHandler: ((_ name: String, _ reason: String) -> Void)?
    private static let lock = NSLock()

    /// Called before the trap. It may park the thread and never return.
    static var handler: ((_ name: String, _ reason: String) -> Void)? {
        get { lock.withLock { currentHandler } }
        set { lock.withLock { currentHandler = newValue } }
    }

    /// Reports a programming error and ends the process. Call it outside of locks and before anything was changed.
    ///
    /// - Parameter name: `NSInvalidArgumentException`, `NSInternalInconsistencyException` or `NSRangeException`.
    static func fail(_ name: String, _ reason: String) -> Never {
        handler?(name, reason)
        fatalError("\(name): \(reason)")
    }

    /// An argument that can never be right.
    static func invalidArgument(_ reason: String) -> Never {
        fail("NSInvalidArgumentException", reason)
    }

    /// A call that is not allowed in the state things are in.
    static func inconsistency(_ reason: String) -> Never {
        fail("NSInternalInconsistencyException", reason)
    }

    /// An index that does not exist.
    static func outOfRange(_ index: Int, count: Int) -> Never {
        fail("NSRangeException", "Index \(index) is beyond the bounds of an array of \(count)")
    }
}
