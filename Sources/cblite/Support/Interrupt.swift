import Foundation

/// Handles signals that end a process.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]
    private let numbers: [Int32]

    /// - Parameters:
    ///   - numbers: The signals; by default SIGINT (Ctrl-C) and SIGTERM.
    ///   - work: Called with the number of each signal, on a global queue.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM], _ work: @escaping @Sendable (Int32) -> Void) {
        self.numbers = numbers
        sources = numbers.map { number in
            // The default action would end the process before the handler is called.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { work(number) }
            source.resume()
            return source
        }
    }

    /// Restores the default action: the signals end the process again.
    func cancel() {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }
}
