import SQLiteEngine

/// The work that matching one text has been, and whether it is still wanted.
struct MatchEffort {
    /// How many steps have been taken: a step looks at one character in one state.
    private(set) var steps = 0
    private var nextLook = MatchEffort.interval
    private let connection: Connection?

    /// - Parameter connection: The work is given up when this is interrupted, which is looked at once in some thousand steps.
    init(interruptedWith connection: Connection? = nil) {
        self.connection = connection
    }

    /// How many steps are taken between two looks whether to go on: some microseconds' worth.
    private static let interval = 4096

    /// Counts steps. False when the work is to be given up, and from then on.
    @inline(__always)
    mutating func spend(_ count: Int = 1) -> Bool {
        steps &+= count
        return steps < nextLook || look()
    }

    @inline(never)
    private mutating func look() -> Bool {
        if connection?.isInterrupted == true {
            // What has been given up is not taken up again: the next question is answered here too.
            nextLook = .min
            return false
        }
        nextLook = steps &+ Self.interval
        return true
    }
}
