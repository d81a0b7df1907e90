import Dispatch
import Fleece
import Foundation
import Synchronization

/// Reads messages from standard input, one in each line, and writes the responses to standard output.
///
/// Requests are handled one after the other, on the thread that calls ``serve(_:)``. Another thread reads, so that a request can be cancelled
/// and a ping is answered while a query runs.
final class ModelContextConnection: Sendable {
    /// The most bytes of a message.
    static let maximumLength = 8 << 20
    /// The most requests that wait, and the most bytes of all of them.
    static let maximumQueue = (count: 64, bytes: 16 << 20)

    private enum Work {
        case message(ModelContextMessage)
        /// A request that was cancelled while it waited.
        case nothing
        case end
    }
    private struct State {
        var queue: [Work] = []
        var queuedBytes = 0
        /// Whether nobody reads the output any more.
        var isAbandoned = false
        /// The request that is being handled, and what ends it.
        var running: (id: String, cancellation: RunCancellation)?
    }
    private let state = Mutex(State())
    private let hasWork = DispatchSemaphore(value: 0)
    private let output = Mutex(Output())

    /// Handles messages until the end of the input, and then those that wait.
    ///
    /// - Throws: `OutputError` if a response cannot be written.
    func serve(_ session: ModelContextSession) throws {
        let input = try InputFile("-")
        let reader = Reader(input: input, connection: self)
        Thread { reader.run() }.start()
        while true {
            hasWork.wait()
            switch state.withLock({ $0.queue.removeFirst() }) {
            case .message(let message):
                state.withLock { $0.queuedBytes -= message.size }
                try handle(message, session)
            case .nothing: continue
            case .end: return
            }
        }
    }

    private func handle(_ message: ModelContextMessage, _ session: ModelContextSession) throws {
        let cancellation = RunCancellation()
        let isAbandoned = state.withLock { state in
            if let id = message.id { state.running = (id, cancellation) }
            return state.isAbandoned
        }
        if isAbandoned { throw OutputError.closed }
        defer { state.withLock { $0.running = nil } }
        do {
            guard let result = try session.result(of: message, endedBy: cancellation), let id = message.id else { return }
            try respond(to: id, result)
        } catch is CancellationError {
            // The other side does not expect a response to a request that it has cancelled.
        } catch let error as ProtocolError {
            if message.id != nil { try send(ProtocolError(error.code, error.message, id: message.id).response) }
        } catch let error as OutputError {
            throw error
        } catch {
            if message.id != nil { try send(ProtocolError(.internalError, "\(error)", id: message.id).response) }
        }
    }

    private func respond(to id: String, _ result: String) throws(OutputError) {
        try send(
            JSONWriter.object { writer in
                writer.member("jsonrpc", "2.0")
                writer.member("id", json: id)
                writer.member("result", json: result)
            }.string
        )
    }

    private func send(_ text: String) throws(OutputError) {
        try output.withLock { output throws(OutputError) in
            try output.line(json: text)
            try output.flush()
        }
    }

    // MARK: Reading

    /// A type, because the closure of a thread cannot capture the file.
    private struct Reader: Sendable {
        // Safe: only the thread that reads uses the file after the start.
        nonisolated(unsafe) let input: InputFile
        let connection: ModelContextConnection

        func run() {
            var isTooLong = false
            do {
                while true {
                    let end = input.withAvailable { $0.firstIndex(of: UInt8(ascii: "\n")) }
                    if end ?? input.available > maximumLength, !isTooLong {
                        connection.refuse(ProtocolError(.invalidRequest, "a message has more than \(maximumLength) bytes", id: nil))
                        isTooLong = true
                    }
                    if let end {
                        // Otherwise it is the end of a line whose beginning was left out.
                        if !isTooLong { connection.receive(input.withAvailable { Array($0[..<end]) }) }
                        input.consume(end + 1)
                        isTooLong = false
                    } else {
                        if isTooLong { input.consume(input.available) }
                        if try !input.fill() { break }
                    }
                }
                if !isTooLong { connection.receive(input.withAvailable { Array($0) }) }
            } catch {
                connection.refuse(ProtocolError(.parseError, "the input cannot be read: \(error)", id: nil))
            }
            connection.end()
        }
    }

    private func receive(_ line: [UInt8]) {
        guard line.contains(where: { !" \t\r".utf8.contains($0) }) else { return }
        do throws(ProtocolError) {
            guard let message = try ModelContextMessage(line) else { return }
            try accept(message)
        } catch {
            refuse(error)
        }
    }

    private func accept(_ message: ModelContextMessage) throws(ProtocolError) {
        switch message.method {
        case "ping":
            if let id = message.id { try? respond(to: id, "{}") }
        case "notifications/cancelled":
            guard let id = message.parameters.id("requestId") else { return }
            cancel(id)
        default:
            let isAccepted = state.withLock { state in
                let bytes = state.queuedBytes + message.size
                guard state.queue.count < Self.maximumQueue.count, bytes <= Self.maximumQueue.bytes else { return false }
                state.queue.append(.message(message))
                state.queuedBytes = bytes
                return true
            }
            guard isAccepted else { throw ProtocolError(.busy, "too many requests wait", id: message.id) }
            hasWork.signal()
        }
    }

    private func cancel(_ id: String) {
        let running = state.withLock { state -> RunCancellation? in
            for (index, work) in state.queue.enumerated() {
                guard case .message(let message) = work, id.isSame(as: message.id) else { continue }
                state.queue[index] = .nothing
                state.queuedBytes -= message.size
            }
            return id.isSame(as: state.running?.id) ? state.running?.cancellation : nil
        }
        running?.cancel()
    }

    private func refuse(_ error: ProtocolError) { try? send(error.response) }

    /// What waits is still handled, because the input may be a file. If nobody reads the output, as when the client has been killed, the running
    /// request is ended, and no other is handled.
    private func end() {
        state.withLock { $0.queue.append(.end) }
        hasWork.signal()
        // Without events, this waits for an error: the other end of the pipe was closed.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while poll(&output, 1, -1) < 0, errno == EINTR {}
        let running = state.withLock { state in
            state.isAbandoned = true
            return state.running?.cancellation
        }
        running?.cancel()
    }
}
