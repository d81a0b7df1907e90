#if Replication
import CouchbaseLiteSwift
import Foundation
import Synchronization

/// Shows the status of a replicator on a terminal, on one line of standard error that is rewritten. Elsewhere, prints a line when the replicator
/// waits for another attempt, with the reason: once for each reason.
final class StatusLine: Sendable {
    private let title: String
    private let isShown: Bool
    private let isOnScreen = Mutex(false)
    /// The reason that was printed since the replicator was connected.
    private let reason = Mutex<String?>(nil)
    private let start = ContinuousClock.now

    init(_ title: String, isShown: Bool = Style.Stream.standardError.isTerminal) { (self.title, self.isShown) = (title, isShown) }

    func show(_ status: Replicator.Status, _ counts: ReplicationCounts) {
        guard isShown else { return printReason(status) }
        isOnScreen.withLock { $0 = true }
        let text = Self.text(title, status, counts, seconds: (.now - start) / .seconds(1))
        StandardStreams.printError("\r\(Self.fitted(text, columns: TerminalSize.current(STDERR_FILENO).columns))\u{1B}[K")
    }

    private func printReason(_ status: Replicator.Status) {
        let new = status.activity == .offline ? status.error?.localizedDescription : nil
        let isNew = reason.withLock { reason in
            if status.activity == .idle || status.activity == .busy { reason = nil }
            guard let new, reason != new else { return false }
            reason = new
            return true
        }
        if isNew, let new { StandardStreams.printError("\(title): offline, retrying: \(DisplayWidth.printable(new))\n") }
    }

    /// Returns the text as one line of a terminal. A longer line could not be rewritten.
    static func fitted(_ text: String, columns: Int) -> String { DisplayWidth.cut(DisplayWidth.printable(text), to: max(columns - 1, 20)) }

    /// Removes the line.
    func finish() {
        let wasOnScreen = isOnScreen.withLock { shown in
            defer { shown = false }
            return shown
        }
        if wasOnScreen { StandardStreams.printError("\r\u{1B}[K") }
    }

    /// `title  busy  [=====>    ]  52%  1,200 pushed  80 pulled  2 deleted  850/s  3 s left`
    ///
    /// - Parameter seconds: The time since the beginning.
    static func text(_ title: String, _ status: Replicator.Status, _ counts: ReplicationCounts, seconds: Double) -> String {
        var parts = [title, name(of: status.activity)]
        var share: Double?
        if status.activity == .busy, status.progress.total > 0 {
            let done = min(Double(status.progress.completed) / Double(status.progress.total), 1)
            parts.append(ProgressBar.bar(done))
            share = done
        }
        for (count, verb) in counts.parts where count > 0 { parts.append("\(count.grouped) \(verb)") }
        let count = counts.parts.reduce(0) { $0 + $1.count }
        if status.activity == .busy, count > 0, seconds > 0 { parts.append("\(Int(Double(count) / seconds).grouped)/s") }
        if let share, share > 0, share < 1 { parts.append("\(ProgressBar.duration(seconds / share * (1 - share))) left") }
        if let error = status.error { parts.append(error.localizedDescription) }
        return parts.joined(separator: "  ")
    }

    private static func name(of activity: Replicator.ActivityLevel) -> String {
        switch activity {
        case .stopped: "stopped"
        case .offline: "offline, retrying"
        case .connecting: "connecting"
        case .idle: "up to date"
        case .busy: "busy"
        }
    }
}
#endif
