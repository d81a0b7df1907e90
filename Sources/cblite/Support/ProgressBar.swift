import Foundation

/// Shows the progress of a long operation on a terminal, on one line of standard error that is rewritten.
final class ProgressBar {
    private let title: String
    private let totalBytes: Int?
    private let isShown: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastShown: ContinuousClock.Instant
    private var calls = 0
    private var isOnScreen = false

    /// - Parameter totalBytes: The number of bytes to be read; `nil` if it is unknown.
    init(_ title: String, totalBytes: Int?, isShown: Bool = Style.Stream.standardError.isTerminal) {
        self.title = title
        self.totalBytes = totalBytes
        self.isShown = isShown
        start = clock.now
        lastShown = start
    }

    var seconds: Double { (clock.now - start) / .seconds(1) }

    /// Updates the progress. Cheap: only every 256th call reads the clock, and it prints at most every 100 ms.
    func update(bytes: Int, documents: Int) {
        calls &+= 1
        guard isShown, calls & 0xFF == 0 else { return }
        let now = clock.now
        guard now - lastShown > .milliseconds(100) else { return }
        lastShown = now
        isOnScreen = true
        let line = Self.line(title, bytes: bytes, of: totalBytes, documents: documents, seconds: seconds)
        StandardStreams.printError("\r\(line)\u{1B}[K")
    }

    /// Removes the line.
    func finish() {
        guard isOnScreen else { return }
        isOnScreen = false
        StandardStreams.printError("\r\u{1B}[K")
    }

    /// `title  [=====>    ]  52%  120,000 documents  85,000/s`
    static func line(_ title: String, bytes: Int, of totalBytes: Int?, documents: Int, seconds: Double) -> String {
        var parts = [title]
        if let totalBytes, totalBytes > 0 {
            let share = min(max(Double(bytes) / Double(totalBytes), 0), 1)
            parts.append(bar(share))
        } else {
            parts.append(bytes.asByteCount)
        }
        parts.append(documents.counted("document"))
        if seconds > 0 { parts.append("\(Int(Double(documents) / seconds).grouped)/s") }
        return parts.joined(separator: "  ")
    }

    /// `[=====>    ]  52%`
    static func bar(_ share: Double) -> String {
        let width = 24
        let filled = Int(share * Double(width))
        let bar = String(repeating: "=", count: filled) + (filled < width ? ">" : "")
        return "[\(bar.padded(to: width))]  \("\(Int(share * 100))%".padded(to: 4, leading: true))"
    }
}
