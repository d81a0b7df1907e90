#if Replication
import Base
import Synchronization
import Transport
import WebServer

/// Limits the large documents that are read, encoded and sent at the same time, because each takes a thread for a while, and several times its
/// size in memory. Further ones wait without a thread, and take turns by user: a user encodes one at a time, and gets a part of the memory.
final class DocumentTurns: Sendable {
    /// The limits, which all databases of a hub share.
    struct Limits: Sendable {
        /// The number of documents that are encoded at the same time.
        var encoding = 2
        /// The memory of encoded documents that are being sent, in bytes. A document that is larger than a limit is sent alone.
        var memory = 96 << 20
        /// The part of it that one user may have.
        var memoryOfUser = 32 << 20
        /// The part of it that users may have for a second document and further ones, so that there is always some for a user who has none.
        var memoryForMore = 64 << 20
        /// The number of documents that wait, and of those of one user.
        var waiting = 512
        var waitingOfUser = 64
    }

    /// Who reads a document: a user, or the guests of an address.
    fileprivate enum Reader: Hashable {
        case user(ExactString)
        case address(ClientAddress)

        init(_ owner: RequestOwner) { self = owner.user.map { .user($0) } ?? .address(owner.address) }
    }

    private struct Waiting {
        let number: Int
        let reader: Reader
        let size: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// Those whose documents are being encoded.
        var encoding: Set<Reader> = []
        /// The memory of each reader.
        var held: [Reader: Int] = [:]
        var heldCount = 0
        var waiting: [Waiting] = []
        var lastNumber = 0
    }

    /// The size of a document in bytes from which on it takes turns.
    static let largeSize = 64 << 10

    private let limits: Limits
    private let state = Mutex(State())

    init(_ limits: Limits = Limits()) { self.limits = limits }

    /// The number of documents that are encoded, that wait, and the memory of those that are sent.
    var counts: (encoding: Int, waiting: Int, memory: Int) { state.withLock { ($0.encoding.count, $0.waiting.count, $0.heldCount) } }

    /// Waits for the turn of a document.
    ///
    /// - Parameters:
    ///   - size: The size of the stored document, in bytes.
    ///   - owner: Who reads it.
    /// - Throws: ``WebError`` 503 if too many documents wait; `CancellationError` if the task is cancelled while it waits.
    func turn(of size: Int, for owner: RequestOwner) async throws -> DocumentTurn {
        let reader = Reader(owner)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(Waiting(number: number, reader: reader, size: size, continuation: $0)) }
        } onCancel: {
            leave(number)
        }
        let turn = DocumentTurn(self, reader, size)
        try Task.checkCancellation()
        return turn
    }

    private func wait(_ document: Waiting) {
        let outcome = state.withLock { state -> Result<Void, any Error>? in
            // The handler of a cancellation may have been called before the document was in the queue.
            if Task.isCancelled { return .failure(CancellationError()) }
            // Those that wait go first, unless they wait for other documents of their own users.
            let othersWait = state.waiting.contains { $0.reader != document.reader && obstacle(to: $0, state) != .own }
            guard othersWait || obstacle(to: document, state) != nil else {
                begin(document, &state)
                return .success(())
            }
            guard state.waiting.count < limits.waiting,
                state.waiting.count(where: { $0.reader == document.reader }) < limits.waitingOfUser
            else { return .failure(HubError.tooManyLargeDocuments) }
            state.waiting.append(document)
            return nil
        }
        if let outcome { document.continuation.resume(with: outcome) }
    }

    private enum Obstacle {
        /// The user's other documents.
        case own
        /// Those of all users.
        case others
    }

    /// Returns why a document cannot be encoded now.
    private func obstacle(to document: Waiting, _ state: State) -> Obstacle? {
        if state.encoding.contains(document.reader) { return .own }
        if let held = state.held[document.reader] {
            if held + document.size > limits.memoryOfUser || state.heldCount + document.size > limits.memoryForMore { return .own }
        } else if state.heldCount > 0, state.heldCount + document.size > limits.memory {
            return .others
        }
        return state.encoding.count >= limits.encoding ? .others : nil
    }

    private func begin(_ document: Waiting, _ state: inout State) {
        state.encoding.insert(document.reader)
        change(&state, document.reader, by: document.size)
    }

    private func change(_ state: inout State, _ reader: Reader, by count: Int) {
        state.heldCount += count
        let held = (state.held[reader] ?? 0) + count
        state.held[reader] = held > 0 ? held : nil
    }

    /// Removes a document from the queue, because its client has gone.
    private func leave(_ number: Int) {
        let removed = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        removed?.continuation.resume(throwing: CancellationError())
        // It may have been the one for which others had to wait.
        if removed != nil { change { _ in } }
    }

    fileprivate func endEncoding(_ reader: Reader, changing count: Int) {
        change { state in
            state.encoding.remove(reader)
            change(&state, reader, by: count)
        }
    }

    fileprivate func release(_ reader: Reader, _ count: Int) { change { change(&$0, reader, by: -count) } }

    /// Changes the state, and resumes those whose turn it is then.
    private func change(_ body: (inout State) -> Void) {
        let next = state.withLock { state in
            body(&state)
            var next: [Waiting] = []
            var index = 0
            scan: while index < state.waiting.count {
                switch obstacle(to: state.waiting[index], state) {
                case .own: index += 1
                case .others: break scan
                case nil:
                    let document = state.waiting.remove(at: index)
                    begin(document, &state)
                    next.append(document)
                }
            }
            return next
        }
        for document in next { document.continuation.resume() }
    }
}

/// The turn of a large document. When it is released, the document has been sent, or cannot be sent anymore.
final class DocumentTurn: Sendable {
    private struct State {
        var isEncoding = true
        /// The memory that is counted for the document, in bytes.
        var count: Int
    }

    private let turns: DocumentTurns
    private let reader: DocumentTurns.Reader
    private let state: Mutex<State>

    fileprivate init(_ turns: DocumentTurns, _ reader: DocumentTurns.Reader, _ size: Int) {
        (self.turns, self.reader) = (turns, reader)
        state = Mutex(State(count: size))
    }

    deinit {
        encoded(0)
        turns.release(reader, state.withLock { $0.count })
    }

    /// Notes that the document is encoded, so that others can be, and how much memory that takes until it has been sent.
    func encoded(_ count: Int) {
        let difference = state.withLock { state -> Int? in
            guard state.isEncoding else { return nil }
            defer { (state.isEncoding, state.count) = (false, count) }
            return count - state.count
        }
        if let difference { turns.endEncoding(reader, changing: difference) }
    }
}
#endif
