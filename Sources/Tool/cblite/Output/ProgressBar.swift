import ArgumentParser
import Foundation
import Synchronization

/// Shows the progress of a long operation on one line of standard error that is rewritten, if that is a terminal: the share that is done,
/// the count, the rate and the time left.
///
/// The line appears after half a second. Thread-safe.
final class ProgressBar: Sendable {
    /// What is counted.
    enum Unit: Sendable {
        case bytes
        /// Things with a name, in the singular.
        case items(String)
        /// Nothing: the time since the beginning is shown.
        case none

        static let documents = Unit.items("document")

        func text(_ count: Int) -> String {
            switch self {
            case .bytes: count.asByteCount
            case .items(let noun): count.counted(noun)
            case .none: ""
            }
        }

        func rate(_ perSecond: Double) -> String {
            let rounded = Int(clamping: Int64(min(max(perSecond, 0), 1e18)))
            return switch self {
            case .bytes: "\(rounded.asByteCount)/s"
            case .items: "\(rounded.grouped)/s"
            case .none: ""
            }
        }
    }

    private struct State {
        var total: Int?
        var calls = 0
        var isOnScreen = false
        var lastShown: ContinuousClock.Instant
    }

    private let title: String
    private let unit: Unit
    private let isShown: Bool
    private let start: ContinuousClock.Instant
    private let state: Mutex<State>

    /// - Parameters:
    ///   - title: What is done, as `Importing`.
    ///   - total: What ``update(_:count:)`` reports when all is done; `nil` if it is not known.
    ///   - unit: The unit of the count.
    init(_ title: String, total: Int?, unit: Unit = .documents, isShown: Bool = Style.Stream.standardError.isTerminal) {
        self.title = DisplayWidth.printable(title)
        self.unit = unit
        self.isShown = isShown
        let now = ContinuousClock.now
        start = now
        state = Mutex(State(total: total, lastShown: now + .milliseconds(400)))
    }

    /// The time since the bar was created.
    var seconds: Double { (.now - start) / .seconds(1) }

    /// Sets the total, if it becomes known later.
    func setTotal(_ total: Int?) { state.withLock { $0.total = total } }

    /// Updates the progress. Cheap: only every 64th call reads the clock, and it prints at most every 100 ms.
    ///
    /// - Parameters:
    ///   - done: The part of the total that is done.
    ///   - count: The count to be shown, if that is not `done`: for example documents, where the total is in bytes.
    func update(_ done: Int, count: Int? = nil) {
        guard isShown else { return }
        state.withLock { state in
            state.calls &+= 1
            guard state.calls & 0x3F == 0 else { return }
            show(done, count: count, &state)
        }
    }

    /// Updates the progress; for callers that call a few times a second.
    func updateNow(_ done: Int, count: Int? = nil) {
        guard isShown else { return }
        state.withLock { show(done, count: count, &$0) }
    }

    /// Updates the progress of an operation that reports its total too.
    func updateNow(_ done: UInt64, of total: UInt64) {
        setTotal(Int(clamping: total))
        updateNow(Int(clamping: done))
    }

    private func show(_ done: Int, count: Int?, _ state: inout State) {
        let now = ContinuousClock.now
        guard now - state.lastShown > .milliseconds(100) else { return }
        state.lastShown = now
        state.isOnScreen = true
        let width = max(TerminalSize.current(STDERR_FILENO).columns - 1, 20)
        func line(isShort: Bool) -> String {
            Self.line(title, done, of: state.total, count: count ?? done, unit, seconds: seconds, isShort: isShort)
        }
        var text = line(isShort: false)
        if DisplayWidth.of(text) > width { text = line(isShort: true) }
        StandardStreams.printError("\r\(DisplayWidth.cut(text, to: width))\u{1B}[K")
    }

    /// Shows the title before an operation that reports no progress.
    func showAtOnce() {
        guard isShown else { return }
        state.withLock { $0.isOnScreen = true }
        StandardStreams.printError("\r\(title)…\u{1B}[K")
    }

    /// Runs an operation that the user can interrupt, and removes the line at its end. If it was interrupted, prints what was kept.
    func whileInterruptible<Result>(kept: @autoclosure () -> String, _ work: (StopRequest) throws -> Result) throws -> Result {
        let stop = StopRequest()
        defer { stop.end() }
        do {
            let result = try work(stop)
            finish()
            return result
        } catch {
            finish()
            guard error is ExitCode || error is CancellationError && stop.isMade else { throw error }
            StandardStreams.printError("Interrupted. \(kept())\n")
            throw stop.isMade ? stop.exitCode : error
        }
    }

    /// Removes the line.
    func finish() {
        state.withLock { state in
            guard state.isOnScreen else { return }
            state.isOnScreen = false
            StandardStreams.printError("\r\u{1B}[K")
        }
    }

    /// Runs an operation that does not report progress, and asks for it from time to time.
    ///
    /// - Parameter done: Returns the part of the total that is done; called on another thread.
    static func watching<Result>(
        _ title: String,
        total: Int? = nil,
        unit: Unit = .none,
        done: @escaping @Sendable () -> Int = { 0 },
        _ work: () throws -> Result
    ) rethrows -> Result {
        let bar = ProgressBar(title, total: total, unit: unit)
        guard bar.isShown else { return try work() }
        let queue = DispatchQueue(label: "cblite.progress")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(200))
        timer.setEventHandler { bar.updateNow(done()) }
        timer.resume()
        defer {
            timer.cancel()
            // The handler may be running.
            queue.sync {}
            bar.finish()
        }
        return try work()
    }

    /// `title  [=====>    ]  52%  120,000 documents  85,000/s  4 s left`
    ///
    /// - Parameters:
    ///   - total: What `done` is when all is done; `nil` if it is not known.
    ///   - isShort: Whether the share is shown before the title and without a bar, for narrow terminals.
    static func line(
        _ title: String,
        _ done: Int,
        of total: Int?,
        count: Int,
        _ unit: Unit,
        seconds: Double,
        isShort: Bool = false
    ) -> String {
        var parts = [title]
        if case .none = unit { return "\(title)  \(duration(seconds))" }
        let share = total.flatMap { $0 > 0 ? min(max(Double(done) / Double($0), 0), 1) : nil }
        if let share {
            if isShort { parts[0] = "\(Int(share * 100))%  \(title)" } else { parts.append(bar(share)) }
        }
        parts.append(unit.text(count))
        if seconds > 0 { parts.append(unit.rate(Double(count) / seconds)) }
        if let share, share > 0, share < 1 { parts.append("\(duration(seconds / share * (1 - share))) left") }
        return parts.joined(separator: "  ")
    }

    /// `[=====>    ]  52%`
    static func bar(_ share: Double) -> String {
        let width = 24
        let share = share.isFinite ? min(max(share, 0), 1) : 0
        let filled = Int(share * Double(width))
        let bar = String(repeating: "=", count: filled) + (filled < width ? ">" : "")
        return "[\(bar.padded(to: width))]  \("\(Int(share * 100))%".padded(to: 4, leading: true))"
    }

    /// `4 s`, `3 min 20 s`, `2 h 5 min`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e9).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }
}
