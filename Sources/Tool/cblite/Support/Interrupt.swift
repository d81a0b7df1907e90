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
    private struct Watched {
        var source: any DispatchSourceSignal
        var handlers: [Handler] = []
    }
    private static let watched = Mutex<[Int32: Watched]>([:])
    private let numbers: [Int32]

    /// - Parameters:
    ///   - numbers: The signals; by default SIGINT (Ctrl-C) and SIGTERM.
    ///   - work: Called with the number of each signal, on a global queue.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM], _ work: @escaping @Sendable (Int32) -> Void) {
        self.numbers = numbers
        let handler = Handler(owner: ObjectIdentifier(self), work: work)
        Self.watched.withLock { watched in
            for number in numbers {
                if watched[number] == nil { watched[number] = Watched(source: Self.source(number)) }
                watched[number]?.handlers.append(handler)
            }
        }
    }

    private static func source(_ number: Int32) -> any DispatchSourceSignal {
        // The default action would end the process before the handler is called.
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            let handler = watched.withLock { $0[number]?.handlers.last }
            handler?.work(number)
        }
        source.resume()
        return source
    }

    /// Removes the handler. Signals without a handler end the process again.
    func cancel() {
        Self.watched.withLock { watched in
            for number in numbers {
                watched[number]?.handlers.removeAll { $0.owner == ObjectIdentifier(self) }
                guard let entry = watched[number], entry.handlers.isEmpty else { continue }
                entry.source.cancel()
                signal(number, SIG_DFL)
                watched[number] = nil
            }
        }
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
            end()
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
