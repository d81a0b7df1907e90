import Foundation

/// Shows on a terminal how far long work has come, on one line of standard error that is rewritten.
final class ProgressBar {
    private let title: String
    private let totalBytes: Int?
    private let isShown: Bool
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var lastShown: ContinuousClock.Instant
    private var calls = 0
    private var isOnScreen = false

    /// - Parameter totalBytes: How many bytes there are to be read; nil when nobody knows.
    init(_ title: String, totalBytes: Int?, isShown: Bool = Style.Stream.standardError.isTerminal) {
        self.title = title
        self.totalBytes = totalBytes
        self.isShown = isShown
        start = clock.now
        lastShown = start
    }

    var seconds: Double { (clock.now - start) / .seconds(1) }

    /// Says what has been done. Cheap: most calls look at no clock and print nothing.
    func update(bytes: Int, documents: Int) {
        calls &+= 1
        guard isShown, calls & 0xFF == 0 else { return }
        let now = clock.now
        guard now - lastShown > .milliseconds(100) else { return }
        lastShown = now
        isOnScreen = true
        let line = Self.line(title, bytes: bytes, of: totalBytes, documents: documents, seconds: seconds)
        FileHandle.standardError.write(Data("\r\(line)\u{1B}[K".utf8))
    }

    /// Removes the line.
    func finish() {
        guard isOnScreen else { return }
        isOnScreen = false
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }

    /// `title  [=====>    ]  52%  120,000 documents  85,000/s`
    static func line(_ title: String, bytes: Int, of totalBytes: Int?, documents: Int, seconds: Double) -> String {
        var parts = [title]
        if let totalBytes, totalBytes > 0 {
            let share = min(max(Double(bytes) / Double(totalBytes), 0), 1)
            let width = 24
            let filled = Int(share * Double(width))
            let bar = String(repeating: "=", count: filled) + (filled < width ? ">" : "")
            parts.append("[\(bar.padded(to: width))]")
            parts.append("\(Int(share * 100))%".padded(to: 4, leading: true))
        } else {
            parts.append(bytes.asByteCount)
        }
        parts.append(documents.counted("document"))
        if seconds > 0 { parts.append("\(Int(Double(documents) / seconds).grouped)/s") }
        return parts.joined(separator: "  ")
    }
}
