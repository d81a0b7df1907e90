import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A process that was started and may still be running. Its output is collected all the while, so it never waits for a reader.
///
/// `@unchecked Sendable`: `state` is only touched while `condition` is locked; the other properties never change.
package final class RunningProcess: @unchecked Sendable {
    private struct State {
        var standardOutput = Data()
        var standardError = Data()
        var openStreams = 2
        var ending: ProcessEnding?

        var result: ProcessResult? {
            guard openStreams == 0, let ending else { return nil }
            return ProcessResult(ending: ending, standardOutput: standardOutput, standardError: standardError)
        }
    }

    /// The identifier the system gave the process.
    package let processIdentifier: Int32

    private let condition = NSCondition()
    private var state = State()

    /// Starts the process, which must have its executable, arguments and environment set.
    init(_ process: Process, input: Data) throws {
        let standardOutput = Pipe()
        let standardError = Pipe()
        let ended = EndingLatch()
        process.standardInput = try Self.readHandle(of: input)
        process.standardOutput = standardOutput
        process.standardError = standardError
        process.terminationHandler = { process in
            let status = process.terminationStatus
            ended.set(process.terminationReason == .uncaughtSignal ? .signalled(status) : .exited(status))
        }
        try process.run()
        processIdentifier = process.processIdentifier
        collect(standardOutput.fileHandleForReading, into: \.standardOutput)
        collect(standardError.fileHandleForReading, into: \.standardError)
        ended.observe { [self] ending in update { $0.ending = ending } }
    }

    /// Whether the process has ended and all of its output has been read.
    package var hasEnded: Bool {
        condition.withLock { state.result != nil }
    }

    /// Sends a signal, SIGKILL unless told otherwise. Does nothing when the process has ended.
    package func kill(_ signal: Int32 = SIGKILL) {
        condition.withLock {
            if state.ending == nil { sendSignal(processIdentifier, signal) }
        }
    }

    /// Blocks the calling thread until the process has ended and closed its output.
    @discardableResult
    package func waitUntilExit() -> ProcessResult {
        condition.withLock {
            while true {
                if let result = state.result { return result }
                condition.wait()
            }
        }
    }

    /// What the process left behind, once it has ended. Waiting blocks no thread of the caller.
    package var result: ProcessResult {
        get async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: self.waitUntilExit()) }
            }
        }
    }

    /// Blocks until the process has printed this many complete lines, or has ended. Returns the complete lines printed so far: at least
    /// `count`, fewer only when the process has ended.
    package func waitForOutput(lines count: Int) -> [String] {
        condition.withLock {
            while true {
                let lineEnds = state.standardOutput.count { $0 == UInt8(ascii: "\n") }
                if lineEnds >= count || state.result != nil {
                    let complete = state.standardOutput.split(
                        separator: UInt8(ascii: "\n"),
                        omittingEmptySubsequences: false
                    )
                    return complete.prefix(lineEnds).map { String(decoding: $0, as: UTF8.self) }
                }
                condition.wait()
            }
        }
    }

    private func update(_ change: (inout State) -> Void) {
        condition.withLock {
            change(&state)
            condition.broadcast()
        }
    }

    /// Reads a stream to its end on a thread of its own: two full pipes cannot then block the process, nor each other.
    private func collect(_ stream: FileHandle, into property: any WritableKeyPath<State, Data> & Sendable) {
        Thread.detachNewThread { [self] in
            // Not `read(upToCount:)`, which waits until the whole count is there.
            while case let chunk = stream.availableData, !chunk.isEmpty {
                update { $0[keyPath: property].append(chunk) }
            }
            update { $0.openStreams -= 1 }
        }
    }

    /// A handle that reads `input`. It is a file, already unlinked, and not a pipe: a process that ends without reading its input
    /// would otherwise send the tests a SIGPIPE.
    private static func readHandle(of input: Data) throws -> FileHandle {
        if input.isEmpty { return .nullDevice }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cbl-input-\(UUID().uuidString)")
        try input.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileHandle(forReadingFrom: file)
    }
}

/// Outside of the class, where `kill` means the system's function.
private func sendSignal(_ processIdentifier: Int32, _ signal: Int32) {
    _ = kill(processIdentifier, signal)
}

/// Keeps the ending of a process that may be over before anybody asks.
///
/// `@unchecked Sendable`: both properties are only touched while `lock` is held.
private final class EndingLatch: @unchecked Sendable {
    private let lock = NSLock()
    private var ending: ProcessEnding?
    private var observer: ((ProcessEnding) -> Void)?

    func set(_ value: ProcessEnding) {
        let observer = lock.withLock {
            ending = value
            return self.observer
        }
        observer?(value)
    }

    func observe(_ observer: @escaping (ProcessEnding) -> Void) {
        let ending = lock.withLock {
            self.observer = observer
            return self.ending
        }
        if let ending { observer(ending) }
    }
}
