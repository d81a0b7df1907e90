import Base

/// The current encryption of a store's files, and the number of operations that depend on it.
final class BlobEncryption: Sendable {
    private struct State {
        var cipher: BlobCipher?
        var generation = 0
        var users = 0
        var isChanging = false
    }
    private let state: Monitor<State>

    init(_ cipher: BlobCipher?) {
        state = Monitor(State(cipher: cipher))
    }

    /// Prevents changes of the encryption during its lifetime, while a file is being written or opened.
    final class Use: Sendable {
        /// `nil` if files are not encrypted.
        let cipher: BlobCipher?
        /// A number that differs after every change of the encryption.
        let generation: Int
        private let encryption: BlobEncryption

        fileprivate init(of encryption: BlobEncryption, _ cipher: BlobCipher?, generation: Int) {
            self.cipher = cipher
            self.generation = generation
            self.encryption = encryption
        }

        deinit {
            encryption.state.withLock { $0.users -= 1 }
        }
    }

    /// Returns a new use of the current encryption. Blocks while the encryption is being changed.
    func use() -> Use {
        state.withLock(waitingWhile: { $0.isChanging }) { state -> Use in
            state.users += 1
            return Use(of: self, state.cipher, generation: state.generation)
        }
    }

    /// Runs `body` with the current cipher, which does not change meanwhile. Blocks while the encryption is being changed.
    func withCipher<Result>(_ body: (BlobCipher?) throws(BlobError) -> Result) throws(BlobError) -> Result {
        let cipher = state.withLock(waitingWhile: { $0.isChanging }) { state -> BlobCipher? in
            state.users += 1
            return state.cipher
        }
        defer { state.withLock { $0.users -= 1 } }
        return try body(cipher)
    }

    /// Runs `body`, which encrypts all files in another way and returns the new cipher, while no other thread writes or opens a file.
    /// `use()` blocks until it returns.
    ///
    /// - Returns: `false`, without running `body`, if a file is being written or opened. This does not wait, because the other operation
    ///   may be waiting for a lock held by the caller.
    func change(_ body: (BlobCipher?) throws -> BlobCipher?) rethrows -> Bool {
        let current = state.withLock { state -> BlobCipher?? in
            guard state.users == 0, !state.isChanging else { return nil }
            state.isChanging = true
            return .some(state.cipher)
        }
        guard let current else { return false }
        var changed: BlobCipher??
        defer {
            state.withLock { state in
                if let changed {
                    state.cipher = changed
                    state.generation += 1
                }
                state.isChanging = false
            }
            state.wakeAll()
        }
        changed = .some(try body(current))
        return true
    }
}
