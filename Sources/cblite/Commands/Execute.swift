import ArgumentParser
import CouchbaseLiteSwift
import Foundation
import Synchronization

/// `cblite execute`
struct Execute: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a SQL++ statement that changes documents.",
        discussion: """
            The statements are UPDATE, DELETE, INSERT and UPSERT. If the statement is -, it is read from standard input. _ is the \
            default collection. For each $NAME in the statement, --param specifies the value as JSON.

            EXAMPLES:
              $ cblite execute travel.cblite2 "UPDATE _ SET visits = 0 WHERE type = 'airport'"
              $ cblite execute travel.cblite2 'DELETE FROM _ WHERE country = $country' --param 'country="Peru"'
              $ cblite execute travel.cblite2 "INSERT INTO _ (KEY, VALUE) VALUES ('a1', {'name': 'Nowhere'})"

            All changes of a statement are stored together, or none. Prints the number of changed documents and, with RETURNING, a \
            table. With --json, prints one object per line for each row of RETURNING, and the number to standard error.

            Ctrl-C cancels the statement; nothing is changed, and the exit code is 130.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var statement: StatementArguments
    @OptionGroup var rows: RowOptions

    func run() throws {
        let text = try statement.text()
        let parameters = try statement.parameters()
        let result = try database.writing { database in
            try Self.run(text, parameters, database)
        }
        let output = Output(paging: rows.pager)
        let count = "\(result.changedCount) \(result.changedCount == 1 ? "document" : "documents") changed"
        let batch = result.rows.batch
        if !batch.titles.isEmpty {
            let writer = rows.chosen.writer(to: output)
            try writer.write(batch)
            try writer.finish()
        }
        if rows.chosen.isForPeople {
            try output.line(count)
        } else {
            StandardStreams.printError(count + "\n")
        }
        try output.flush()
    }

    /// Runs a statement. Ctrl-C cancels it; a second Ctrl-C exits at once.
    ///
    /// - Throws: `ExitCode` if the statement was cancelled.
    private static func run(_ text: String, _ parameters: Parameters, _ database: Database) throws -> StatementResult {
        let outcome = Mutex<Swift.Result<StatementResult, any Error>?>(nil)
        let number = Mutex<Int32?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let task = Task {
            defer { ended.signal() }
            do {
                let result = try await database.async.execute(QueryText(verbatim: text), parameters: parameters)
                outcome.withLock { $0 = .success(result) }
            } catch {
                outcome.withLock { $0 = .failure(error) }
            }
        }
        let interrupt = Interrupt { signal in
            let isFirst = number.withLock { number in
                defer { number = signal }
                return number == nil
            }
            guard isFirst else { _exit(128 + signal) }
            task.cancel()
        }
        defer { interrupt.cancel() }
        ended.wait()
        do {
            return try outcome.withLock { $0 }?.get() ?? { throw CancellationError() }()
        } catch is CancellationError {
            throw ExitCode(128 + (number.withLock { $0 } ?? SIGINT))
        }
    }
}
