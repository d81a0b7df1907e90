/// When a query that is observed is run after a change (Query 5.9): at once after a time of rest, else so much later that a
/// burst of changes needs one run. All times are in milliseconds of a steady clock.
struct RunPacing: Sendable {
    /// How long nothing must have been run for a change to be answered at once.
    static let rest: Int64 = 250
    /// How long a change is kept waiting otherwise, together with those that follow it.
    static let delay: Int64 = 500

    private var lastRun: Int64?

    /// When a change that is noticed at `now` is answered.
    func answer(toChangeAt now: Int64) -> Int64 {
        guard let lastRun, now - lastRun < Self.rest else { return now }
        return now + Self.delay
    }

    /// A run has ended, with or without anything to tell: those without cost as much.
    mutating func noteRun(at now: Int64) {
        lastRun = now
    }
}
