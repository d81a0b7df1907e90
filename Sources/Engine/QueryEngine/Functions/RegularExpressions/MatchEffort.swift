import SQLiteEngine

/// Counts the steps of matching a text, and stops the work when the statement is interrupted.
struct MatchEffort {
    /// The number of steps taken. One step examines one character in one state.
    private(set) var steps = 0
    /// How many of the steps ``BacktrackingMatcher`` has taken, which limits them.
    var backtracked = 0
    private var nextCheck = MatchEffort.interval
    private let connection: Connection?

    /// - Parameter connection: Its interruption stops the work. It is checked once in a few thousand steps. `nil` never stops the work.
    init(interruptedWith connection: Connection? = nil) { self.connection = connection }

    /// The number of steps between two checks for interruption, which take a few microseconds.
    private static let interval = 4096

    /// Counts steps. Returns `false` if the work must stop; from then on every call checks for interruption.
    @inline(__always)
    mutating func spend(_ count: Int = 1) -> Bool {
        steps &+= count
        return steps < nextCheck || checkInterruption()
    }

    @inline(never)
    private mutating func checkInterruption() -> Bool {
        if connection?.handle.isInterrupted == true {
            // Makes the next call check again, so that interrupted work does not continue.
            nextCheck = .min
            return false
        }
        nextCheck = steps &+ Self.interval
        return true
    }
}
