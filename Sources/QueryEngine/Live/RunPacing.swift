/// Decides when a live query runs after a change (Query 5.9): immediately if the last run was long enough ago, otherwise after a delay, so
/// that a burst of changes needs only one run. All times are in milliseconds of a steady clock.
struct RunPacing: Sendable {
    /// The minimum time since the last run for a change to cause an immediate run.
    static let rest: Int64 = 250
    /// The delay of the run otherwise, which also covers the changes that follow in that time.
    static let delay: Int64 = 500

    private var lastRun: Int64?

    /// Returns the time of the run for a change that is noticed at `now`.
    func answer(toChangeAt now: Int64) -> Int64 {
        guard let lastRun, now - lastRun < Self.rest else { return now }
        return now + Self.delay
    }

    /// Records the end of a run. Runs without new rows count too, because they cost as much.
    mutating func noteRun(at now: Int64) {
        lastRun = now
    }
}
