import Synchronization

/// Stands for a listener that has been added, and removes it. Dropping it leaves the listener where it is.
public class ListenerToken: @unchecked Sendable {
    // Unchecked because the class is open to the module's own subclasses; its one property is a lock.
    private let removal: Mutex<(@Sendable () -> Void)?>

    init(_ removal: @escaping @Sendable () -> Void) {
        self.removal = Mutex(removal)
    }

    /// Removes the listener. A call that is on its way already may still arrive. Removing twice is harmless.
    public func remove() {
        let removal = removal.withLock { removal in
            defer { removal = nil }
            return removal
        }
        removal?()
    }
}
