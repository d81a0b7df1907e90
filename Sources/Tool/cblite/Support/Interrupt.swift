import ArgumentParser
import Foundation
import Synchronization

/// Handles signals that end a process, until it is cancelled. Of several handlers of a signal, the newest is called: a command that is run by
/// the shell handles Ctrl-C itself, and the shell between commands.
final class Interrupt: Sendable {
    private struct Handler {
        let owner: ObjectIdentifier
        let work: @Sendable (Int32) -> Void
    }
    private static let handlers = Mutex<[Int32: [Handler]]>([:])
    private let numbers: [Int32]

    /// - Parameters:
    ///   - numbers: The signals; by default SIGINT (Ctrl-C) and SIGTERM.
    ///   - work: Called with the number of each signal, on the thread of all signals. Without free descriptors it is never called, and signals
    ///     end the process.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM], _ work: @escaping @Sendable (Int32) -> Void) {
        self.numbers = numbers
        let handler = Handler(owner: ObjectIdentifier(self), work: work)
        let canHandle = SignalPipe.shared.start { number in
            let handler = Self.handlers.withLock { $0[number]?.last }
            handler?.work(number)
        }
        guard canHandle else { return }
        Self.handlers.withLock { handlers in
            for number in numbers {
                handlers[number, default: []].append(handler)
                signal(number) { SignalPipe.shared.note($0) }
            }
        }
    }

    /// Removes the handler. Signals without a handler end the process again.
    func cancel() {
        Self.handlers.withLock { handlers in
            for number in numbers {
                handlers[number]?.removeAll { $0.owner == ObjectIdentifier(self) }
                guard handlers[number]?.isEmpty ?? false else { continue }
                signal(number, SIG_DFL)
                handlers[number] = nil
            }
        }
    }
}

/// Carries the numbers of signals from their handlers, which may do almost nothing, to a thread. Dispatch sources of signals are not used, because
/// on Linux they lose signals in a process with several threads.
private final class SignalPipe: Sendable {
    static let shared = SignalPipe()

    private let input: Int32
    private let output: Int32
    private let isStarted = Mutex(false)

    private init() {
        // The process has them until it ends.
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 { ends = [-1, -1] }
        (input, output) = (ends[0], ends[1])
        for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // A handler must not wait for space.
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
    }

    /// Calls `handle` for each signal from now on, on a thread of its own. Only the first call counts.
    ///
    /// - Returns: `false` if the process cannot open more files, so that signals cannot be handled.
    func start(_ handle: @escaping @Sendable (Int32) -> Void) -> Bool {
        guard input >= 0 else { return false }
        isStarted.withLock { isStarted in
            guard !isStarted else { return }
            isStarted = true
            Thread.detachNewThread { [input] in
                var number: UInt8 = 0
                while true {
                    let count = read(input, &number, 1)
                    guard count == 1 || count < 0 && errno == EINTR else { return }
                    if count == 1 { handle(Int32(number)) }
                }
            }
        }
        return true
    }

    /// Called by the handler of a signal, so it calls only functions that POSIX permits there.
    func note(_ number: Int32) {
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(output, &byte, 1)
        errno = error
    }
}

/// The request of the user, by Ctrl-C, that an operation ends. A second Ctrl-C exits at once.
final class StopRequest: Sendable {
    private let signalNumber: SignalNumber
    private let interrupt: Interrupt

    /// The first signal that was received; 0 if none was.
    private final class SignalNumber: Sendable {
        let value = Atomic<Int32>(0)
        let isKnown = DispatchSemaphore(value: 0)
    }

    /// - Parameter end: Called at the first Ctrl-C, on a global queue; by default, the operation checks ``isMade`` between its steps.
    init(_ end: @escaping @Sendable () -> Void = {}) {
        let number = SignalNumber()
        signalNumber = number
        interrupt = Interrupt { signal in
            let isFirst = number.value.compareExchange(expected: 0, desired: signal, ordering: .relaxed).exchanged
            if !isFirst { _exit(128 + signal) }
            number.isKnown.signal()
            // The thread of all signals must be able to handle the second one.
            DispatchQueue.global().async(execute: end)
        }
    }

    /// Whether the user wants the operation to end. Cheap.
    var isMade: Bool { signalNumber.value.load(ordering: .relaxed) != 0 }

    /// The number of the signal; `nil` if none was received.
    var signal: Int32? { isMade ? signalNumber.value.load(ordering: .relaxed) : nil }

    /// The exit code of a command that was ended by the signal.
    var exitCode: ExitCode { ExitCode(128 + (signal ?? SIGINT)) }

    /// - Throws: `ExitCode` if the user wants the operation to end.
    func check() throws {
        if isMade { throw exitCode }
    }

    /// - Throws: `CancellationError` if the user wants the operation to end: the only error that the public API passes on unchanged.
    func checkInsidePublicAPI() throws {
        if isMade { throw CancellationError() }
    }

    /// Waits for a time, or until the user wants the operation to end.
    func wait(seconds: Double) { _ = signalNumber.isKnown.wait(timeout: .now() + seconds) }

    /// Stops handling signals; must be called at the end of the operation.
    func end() { interrupt.cancel() }
}
