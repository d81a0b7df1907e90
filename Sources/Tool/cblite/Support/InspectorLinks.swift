#if Replication
import Dispatch
import Foundation

/// Prints another link to an inspector for each line that is typed in the terminal. Does nothing if the standard input is no terminal.
struct InspectorLinks {
    private let source: (any DispatchSourceRead)?

    /// - Parameter make: Returns a new link.
    init(_ make: @escaping @Sendable () -> String) {
        guard isatty(STDIN_FILENO) == 1 else {
            source = nil
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 1024)
            guard read(STDIN_FILENO, &bytes, bytes.count) > 0 else { return source.cancel() }
            let output = Output()
            try? output.line(make())
            try? output.flush()
        }
        source.activate()
        self.source = source
    }

    func cancel() { source?.cancel() }
}
#endif
