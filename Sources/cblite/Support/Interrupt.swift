import Foundation

/// Handles SIGINT (Ctrl-C) and SIGTERM.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]
    private static let numbers = [SIGINT, SIGTERM]

    /// - Parameter work: Called with the number of each signal, on a global queue.
    init(_ work: @escaping @Sendable (Int32) -> Void) {
        sources = Self.numbers.map { number in
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
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
