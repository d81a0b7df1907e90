import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A process that was started and may still be running. Its output is read continuously, so it never blocks on a full pipe.
///
/// `@unchecked Sendable`: `state` is accessed only while `condition` is locked; the other properties never change.
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

    private let child: ChildProcess
    private let condition = NSCondition()
    private var state = State()

    init(_ child: ChildProcess) {
        self.child = child
        collect(child.standardOutput, into: \.standardOutput)
        collect(child.standardError, into: \.standardError)
        Thread.detachNewThread { [self] in
            child.waitUntilEnded()
            update { $0.ending = child.release() }
        }
    }

    /// The process identifier.
    package var identifier: Int32 { child.identifier }

    /// Whether the process has ended and all of its output has been read.
    package var hasEnded: Bool {
        condition.withLock { state.result != nil }
    }

    /// Sends a signal, by default SIGKILL. Does nothing if the process has ended.
    package func kill(_ signal: Int32 = SIGKILL) {
        condition.withLock {
            if state.ending == nil { sendSignal(child.identifier, signal) }
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

    /// The result of the process after it has ended. Waits without blocking the calling thread.
    package var result: ProcessResult {
        get async {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: self.waitUntilExit()) }
            }
        }
    }

    /// Blocks until the process has printed `count` complete lines or has ended. Returns the complete lines printed so far: at least
    /// `count`, or fewer if the process has ended.
    package func waitForOutput(lines count: Int) -> [String] {
        condition.withLock {
            while true {
                let lineEnds = state.standardOutput.count { $0 == UInt8(ascii: "\n") }
                if lineEnds >= count || state.result != nil {
                    let complete = state.standardOutput.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                    return complete.prefix(lineEnds).map { String(decoding: $0, as: UTF8.self) }
                }
                condition.wait()
            }
        }
    }

    /// Blocks until the process has written `text` to standard error, or has ended. Returns its standard error so far.
    package func waitForError(containing text: String) -> String {
        condition.withLock {
            while true {
                let written = String(decoding: state.standardError, as: UTF8.self)
                if written.contains(text) || state.result != nil { return written }
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

    /// Reads a stream to its end on a separate thread, so that a full pipe blocks neither the process nor the other stream.
    private func collect(_ stream: FileHandle, into property: any WritableKeyPath<State, Data> & Sendable) {
        Thread.detachNewThread { [self] in
            // Not `read(upToCount:)`, which waits until the whole count is available.
            while case let chunk = stream.availableData, !chunk.isEmpty {
                update { $0[keyPath: property].append(chunk) }
            }
            try? stream.close()
            update { $0.openStreams -= 1 }
        }
    }
}

/// Outside of the class, so that `kill` is the system function.
private func sendSignal(_ processIdentifier: Int32, _ signal: Int32) {
    _ = kill(processIdentifier, signal)
}
