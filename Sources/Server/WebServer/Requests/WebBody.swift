#if Replication
import Synchronization
import Transport

/// The body of a request, as it is received. While nobody reads it, no more than about 64 KiB is received, so that the client has to wait.
package final class WebBody: Sendable {
    fileprivate struct State: ~Copyable {
        var chunks: [[UInt8]] = []
        var bufferedCount = 0
        var receivedCount = 0
        var isFinished = false
        var failure: WebError?
        var waiter: CheckedContinuation<Void, Never>?
        /// Whether receiving was suspended because too much is buffered.
        var isSuspended = false
        /// Receives again. Kept in a struct, because a closure in a generic box would be wrapped with each access.
        var resume: (@Sendable () -> Void)?
        /// Whether the handler has begun to read.
        var isWanted = false
        /// The memory of the bytes that were collected.
        var memory: ReservedMemory?
    }

    /// The number of buffered bytes above which receiving is suspended.
    static let highWaterMark = 64 << 10
    /// The same before the handler begins to read: it may not know yet whether the client is a user.
    static let unwantedMark = 4 << 10
    /// The size in bytes up to which a collected body is not counted, because the number of connections limits them: a login is always possible.
    static let uncountedSize = 4 << 10
    /// The size in bytes below which a buffered chunk is joined with the next one.
    private static let minimumChunk = 4 << 10

    /// The maximum size in bytes. A longer body is refused with the status 413.
    package let maximumBytes: Int
    /// Who sends the body.
    package let owner: RequestOwner
    private let budget: BodyBudget
    private let state = Mutex(State())
    /// Decompresses the body; `nil` if it is not compressed.
    private let decoder: GzipDecoder?
    /// The number of decompressed bytes.
    private let decodedCount = Atomic(0)

    init(
        maximumBytes: Int,
        budget: BodyBudget,
        decoder: GzipDecoder? = nil,
        owner: RequestOwner = RequestOwner(ClientAddress(nil))
    ) {
        self.maximumBytes = maximumBytes
        self.budget = budget
        self.decoder = decoder
        self.owner = owner
    }

    /// Returns the next bytes of the body, decompressed; `nil` at its end. Must not be called by several tasks at the same time.
    ///
    /// - Throws: ``WebError``: 413 if the body is longer than ``maximumBytes``, as it was sent or decompressed, 408 if it arrives too slowly, 400
    ///   if the client has closed the connection, or if the body is not valid gzip.
    package func next() async throws -> [UInt8]? {
        guard let decoder else { return try await nextReceived() }
        while true {
            if let piece = try decoder.next() {
                guard decodedCount.add(piece.count, ordering: .relaxed).newValue <= maximumBytes else { throw WebError.bodyTooLarge }
                return piece
            }
            guard let bytes = try await nextReceived() else {
                try decoder.finish()
                return nil
            }
            decoder.append(bytes)
        }
    }

    private func nextReceived() async throws -> [UInt8]? {
        while true {
            let (chunk, isEnd, failure, resume) = state.withLock { state -> ([UInt8]?, Bool, WebError?, (@Sendable () -> Void)?) in
                state.isWanted = true
                if let failure = state.failure { return (nil, true, failure, nil) }
                guard !state.chunks.isEmpty else { return (nil, state.isFinished, nil, nil) }
                let chunks = state.chunks
                state.chunks = []
                state.bufferedCount = 0
                let resume = state.isSuspended ? state.resume : nil
                state.isSuspended = false
                return (chunks.dropFirst().reduce(into: chunks[0]) { $0 += $1 }, false, nil, resume)
            }
            resume?()
            if let failure { throw failure }
            if let chunk { return chunk }
            if isEnd { return nil }
            await wait()
        }
    }

    /// Returns the whole body. Its memory is counted until the response was sent. The client must be known: the memory counts for its user.
    ///
    /// - Parameter limit: A maximum size in bytes that is lower than ``maximumBytes``.
    /// - Throws: ``WebError`` as ``next()``, and 503 if the bodies of all requests together, or those of the user or the address, would take too
    ///   much memory.
    package func collect(upTo limit: Int = .max) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await next() {
            guard chunk.count <= limit - bytes.count else { throw WebError.bodyTooLarge }
            let counted = max(bytes.count + chunk.count - Self.uncountedSize, 0) - max(bytes.count - Self.uncountedSize, 0)
            guard reserve(counted) else {
                // Now, not after the response: otherwise more requests would be refused than necessary.
                releaseMemory()
                throw WebError.tooManyLargeRequests
            }
            bytes.append(contentsOf: chunk)
        }
        return bytes
    }

    /// Counts memory for so many more bytes of the body, which is returned when this object is released. For handlers that collect parts of the
    /// body themselves. Returns `false` if there is not enough, or the share of the user or the address is used up.
    package func reserve(_ count: Int) -> Bool {
        state.withLock { state in
            if state.memory == nil { state.memory = budget.reservation(for: owner) }
            return state.memory?.grow(by: count) ?? false
        }
    }

    /// Passes the whole body to `use`, and returns its memory to the budget when `use` returns. For requests whose response lasts longer than their
    /// body is needed.
    ///
    /// - Throws: As ``collect()``, and the errors of `use`.
    package func collect<Result>(_ use: ([UInt8]) throws -> Result) async throws -> Result {
        defer { releaseMemory() }
        return try use(await collect())
    }

    /// Returns the memory of the bytes that were collected to the budget, before this object is released.
    func releaseMemory() { state.withLock { $0.memory = nil } }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.failure != nil || state.isFinished || !state.chunks.isEmpty { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
    }

    // MARK: For the connection

    /// Sets what is called when receiving is to continue.
    func onResume(_ resume: @escaping @Sendable () -> Void) { state.withLock { $0.resume = resume } }

    /// Adds received bytes. Returns whether receiving must be suspended.
    func append(_ bytes: [UInt8]) -> Bool {
        change { state in
            guard state.failure == nil else { return false }
            state.receivedCount += bytes.count
            guard state.receivedCount <= maximumBytes else {
                state.fail(.bodyTooLarge)
                return false
            }
            // Joined, because a client may send many chunks of one byte, and an array takes more than that.
            if let last = state.chunks.indices.last, state.chunks[last].count < Self.minimumChunk {
                state.chunks[last] += bytes
            } else {
                state.chunks.append(bytes)
            }
            state.bufferedCount += bytes.count
            if state.bufferedCount > (state.isWanted ? Self.highWaterMark : Self.unwantedMark) { state.isSuspended = true }
            return state.isSuspended
        }
    }

    func finish() {
        change { state in
            state.isFinished = true
            state.resume = nil
        }
    }

    func fail(_ error: WebError) {
        change { state in
            if !state.isFinished { state.fail(error) }
        }
    }

    /// Whether the end of the body was received.
    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// The number of bytes received.
    var receivedCount: Int { state.withLock { $0.receivedCount } }

    /// Whether the body was refused or is incomplete.
    var hasFailed: Bool { state.withLock { $0.failure != nil } }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, waiter) = state.withLock { state in
            let result = body(&state)
            let waiter = state.waiter
            state.waiter = nil
            return (result, waiter)
        }
        waiter?.resume()
        return result
    }
}

extension WebBody.State {
    fileprivate mutating func fail(_ error: WebError) {
        failure = failure ?? error
        // The closure refers to the connection, which refers to this body.
        resume = nil
        chunks = []
        bufferedCount = 0
    }
}
#endif
