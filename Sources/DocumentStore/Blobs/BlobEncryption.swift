import SQLiteEngine

/// The current encryption of a store's files, and the number of operations that depend on it.
///
/// `@unchecked Sendable` is safe because all properties except the lock are accessed only while the lock is held.
final class BlobEncryption: @unchecked Sendable {
    private let lock = ConditionLock()
    private var cipher: BlobCipher?
    private var generation = 0
    private var users = 0
    private var isChanging = false

    init(_ cipher: BlobCipher?) {
        self.cipher = cipher
    }

    /// Prevents changes of the encryption during its lifetime, while a file is being written or opened.
    final class Use: Sendable {
        /// `nil` if files are not encrypted.
        let cipher: BlobCipher?
        /// A number that differs after every change of the encryption.
        let generation: Int
        private let encryption: BlobEncryption

        fileprivate init(of encryption: BlobEncryption) {
            cipher = encryption.cipher
            generation = encryption.generation
            self.encryption = encryption
        }

        deinit {
            encryption.lock.withLock { encryption.users -= 1 }
        }
    }

    /// Returns a new use of the current encryption. Blocks while the encryption is being changed.
    func use() -> Use {
        lock.withLock {
            while isChanging { lock.wait() }
            users += 1
            return Use(of: self)
        }
    }

    /// Runs `body`, which encrypts all files in another way and returns the new cipher, while no other thread writes or opens a file.
    /// `use()` blocks until it returns.
    ///
    /// - Returns: `false`, without running `body`, if a file is being written or opened. This does not wait, because the other operation
    ///   may be waiting for a lock held by the caller.
    func change(_ body: (BlobCipher?) throws -> BlobCipher?) rethrows -> Bool {
        let current: BlobCipher?? = lock.withLock {
            guard users == 0, !isChanging else { return nil }
            isChanging = true
            return .some(cipher)
        }
        guard let current else { return false }
        var changed: BlobCipher??
        defer {
            lock.withLock {
                if let changed {
                    cipher = changed
                    generation += 1
                }
                isChanging = false
                lock.wakeAll()
            }
        }
        changed = .some(try body(current))
        return true
    }
}
