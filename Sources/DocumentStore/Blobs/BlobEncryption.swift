import SQLiteEngine

/// How the files of a store are encrypted at the moment, and who depends on that.
///
/// `@unchecked Sendable`: everything but the lock is touched only while it is held.
final class BlobEncryption: @unchecked Sendable {
    private let lock = ConditionLock()
    private var cipher: BlobCipher?
    private var generation = 0
    private var users = 0
    private var isChanging = false

    init(_ cipher: BlobCipher?) {
        self.cipher = cipher
    }

    /// Keeps the encryption as it is for as long as it lives: while a file is written, or opened.
    final class Use: Sendable {
        /// Nil when files are plain.
        let cipher: BlobCipher?
        /// Another number after every change.
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

    /// Waits while the encryption is being changed.
    func use() -> Use {
        lock.withLock {
            while isChanging { lock.wait() }
            users += 1
            return Use(of: self)
        }
    }

    /// Runs `body`, which sees to it that all files are encrypted in another way, while nobody writes or opens any. It returns how.
    ///
    /// - Returns: False when somebody is doing so just now: what he waits for may be what the caller holds. `body` is not run then.
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
