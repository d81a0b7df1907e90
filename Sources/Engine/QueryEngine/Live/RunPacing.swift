/// Decides when a live query runs after changes (Query 5.9).
///
/// A change is followed by a run at once, unless it comes so soon after the last run that it may be one of many: then the run waits for
/// the end of the burst, at most for ``maximumDelay``. How soon and how long depends on what the last run cost. All times are in
/// milliseconds of a steady clock.
package struct RunPacing: Sendable {
    /// Changes with less time between them belong to one burst. No two actions of a user come so close together, and no screen shows both.
    static let burstGap: Int64 = 10
    /// The time between two runs, as a multiple of the duration of the first: runs take at most a fifth of a processor.
    static let restFactor: Int64 = 4
    /// The maximum delay of a run because of a burst, as a multiple of the duration of the last run, and its limits.
    static let delayFactor: Int64 = 10
    static let delayLimits: ClosedRange<Int64> = 100...500

    private enum Phase {
        case idle
        case running(hasChanged: Bool)
        /// Waiting for the end of a burst. `hasChanged` tells whether it went on since ``nextLook(at:)``.
        case merging(until: Int64, hasChanged: Bool)
    }

    private var phase = Phase.idle
    private var lastRun: (end: Int64, duration: Int64)?
    /// The time between the end of a run and the next run after a change that the app wants at least. The default is 0.
    var minimumInterval: Int64 = 0

    /// Records a change that is noticed at `now`.
    ///
    /// - Returns: The time of the next call of ``nextLook(at:)``; `nil` if one is scheduled already, or if the change was noticed during a
    ///   run: then ``endRun(from:at:)`` returns it.
    mutating func noteChange(at now: Int64) -> Int64? {
        switch phase {
        case .running:
            phase = .running(hasChanged: true)
            return nil
        case .merging(let end, _):
            phase = .merging(until: end, hasChanged: true)
            return nil
        case .idle:
            guard let lastRun, now < lastRun.end + rest else { return now }
            let earliest = lastRun.end + rest
            phase = .merging(until: max(now + maximumDelay, earliest), hasChanged: false)
            return max(now + Self.burstGap, earliest)
        }
    }

    /// Returns the time to call this function again, because a burst goes on; `nil` if it is time for the run.
    mutating func nextLook(at now: Int64) -> Int64? {
        guard case .merging(let end, hasChanged: true) = phase, now < end else { return nil }
        phase = .merging(until: end, hasChanged: false)
        return min(now + Self.burstGap, end)
    }

    /// Whether further changes must be noticed before the next run.
    var isMerging: Bool { if case .merging = phase { true } else { false } }

    /// Ends the wait for the end of a burst, because the query must run for another reason.
    mutating func stopMerging() {
        if isMerging { phase = .idle }
    }

    /// Records the start of a run.
    mutating func beginRun() { phase = .running(hasChanged: false) }

    /// Records a run. Runs without new rows count too, because they cost as much.
    ///
    /// - Returns: The time of the next call of ``nextLook(at:)``, if a change was noticed during the run.
    mutating func endRun(from start: Int64, at now: Int64) -> Int64? {
        lastRun = (now, max(0, now - start))
        guard case .running(let hasChanged) = phase else { return nil }
        phase = .idle
        return hasChanged ? noteChange(at: now) : nil
    }

    /// Returns the time between a run and the next one, in milliseconds.
    ///
    /// - Parameter duration: The duration of the run, in milliseconds.
    package static func rest(after duration: Int64) -> Int64 {
        max(burstGap, min(multiple(of: duration, restFactor), delayLimits.upperBound))
    }

    private var rest: Int64 { max(minimumInterval, Self.rest(after: lastRun?.duration ?? 0)) }

    private var maximumDelay: Int64 {
        min(max(Self.multiple(of: lastRun?.duration ?? 0, Self.delayFactor), Self.delayLimits.lowerBound), Self.delayLimits.upperBound)
    }

    private static func multiple(of duration: Int64, _ factor: Int64) -> Int64 {
        let (product, overflow) = duration.multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
