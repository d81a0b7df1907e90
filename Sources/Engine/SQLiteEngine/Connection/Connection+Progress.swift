internal import CSQLiteSystem

/// The progress of statements that take long.
extension Connection {
    /// Runs `body`, and reports from time to time how many steps of SQLite's virtual machine its statements have taken. Each 10,000 steps
    /// there is one report, which is about once a millisecond; while SQLite executes one long step, for example the check of a tree, there is
    /// none.
    ///
    /// If the steps of the connection are limited, nothing is reported, because SQLite can do only one of both.
    ///
    /// - Parameter report: Called on this thread; it must not use the connection. If it throws, the running statement is interrupted.
    /// - Throws: The error of `report`, and those of `body`.
    package func reportingSteps<Result>(_ report: (Int) throws -> Void, _ body: () throws -> Result) throws -> Result {
        let database = try openDatabase()
        guard stepBudget == nil else { return try body() }
        return try withoutActuallyEscaping(report) { report in
            let observer = StepObserver(report)
            sqlite3_progress_handler(
                database,
                StepObserver.stepsPerCall,
                { Unmanaged<StepObserver>.fromOpaque($0.unsafelyUnwrapped)._withUnsafeGuaranteedRef { $0.noteSteps() } },
                // Not retained: the handler is removed before the observer is released.
                Unmanaged.passUnretained(observer).toOpaque()
            )
            defer { withExtendedLifetime(observer) { if let database = self.database { sqlite3_progress_handler(database, 0, nil, nil) } } }
            do {
                return try body()
            } catch {
                throw observer.failure ?? error
            }
        }
    }
}

/// Counts the steps of SQLite's virtual machine. Only used by the thread that uses the connection.
private final class StepObserver {
    static let stepsPerCall: Int32 = 10_000
    private let report: (Int) throws -> Void
    private var steps = 0
    private(set) var failure: (any Error)?

    init(_ report: @escaping (Int) throws -> Void) { self.report = report }

    /// Returns a nonzero value if the statement is to be interrupted.
    func noteSteps() -> Int32 {
        steps += Int(Self.stepsPerCall)
        do {
            if failure == nil { try report(steps) }
        } catch {
            failure = error
        }
        return failure == nil ? 0 : 1
    }
}
