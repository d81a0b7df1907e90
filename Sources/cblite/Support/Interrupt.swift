import Foundation

/// Has something done when somebody types Ctrl-C, or the process is asked to end.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]
    private static let numbers = [SIGINT, SIGTERM]

    /// - Parameter work: Gets the number of the signal.
    init(_ work: @escaping @Sendable (Int32) -> Void) {
        sources = Self.numbers.map { number in
            // The default action would end the process before the source is told.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { work(number) }
            source.resume()
            return source
        }
    }

    /// Lets the signals end the process again.
    func cancel() {
        for source in sources { source.cancel() }
        for number in Self.numbers { signal(number, SIG_DFL) }
    }
}
