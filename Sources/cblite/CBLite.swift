import ArgumentParser
import Foundation

/// The command line tool.
@main
struct CBLite: ParsableCommand {
    static let commands: [any ParsableCommand.Type] =
        [
            Info.self, List.self, Cat.self, Put.self, Remove.self, Import.self, Export.self,
            QueryCommand.self, Explain.self, Index.self, Revisions.self, Conflicts.self,
        ] + replicationCommands + [Check.self, Copy.self, Move.self, Compact.self, ChangeKey.self]

    private static var replicationCommands: [any ParsableCommand.Type] {
        #if Replication
        [Push.self, Pull.self, Sync.self, Serve.self]
        #else
        []
        #endif
    }

    static let configuration = CommandConfiguration(
        commandName: "cblite",
        abstract: "Opens, changes, queries, replicates and checks Couchbase Lite databases.",
        discussion: """
            A database is named by the path of its directory; the extension .cblite2 may be left out.

            Commands that write nothing open the file for reading only, so looking into a file of an old release does not \
            upgrade it. Commands that write upgrade it first, as release 3.2 would.

            EXAMPLES:
              $ cblite import --create travel.cblite2 Samples/travel/airports.jsonl
              $ cblite ls -l travel.cblite2 'airport_C*'
              $ cblite cat travel.cblite2 airport_CDG
              $ cblite query travel.cblite2 "SELECT name, geo.alt FROM _ WHERE country = 'Peru' LIMIT 3"
              $ cblite export travel.cblite2 > backup.jsonl
              $ cblite sync travel.cblite2 ws://localhost:4984/travel
              $ cblite check travel.cblite2

            \(ExitReason.table)

            Errors go to standard error, with a hint what to do. --json makes every command print for programs. Colours and \
            progress bars appear on terminals only, and no colours when NO_COLOR is set.
            """,
        version: "cblite 0.9.0",
        subcommands: commands
    )

    static func main() {
        StandardStreams.keepDescriptors()
        // A reader that goes away, as `head` does, is told by the write that fails: see `Output`.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as ExitCode {
            exit(withError: error)
        } catch OutputError.closed {
            exit(withError: ExitCode.success)
        } catch {
            guard let failure = Failure(error) else { exit(withError: error) }
            failure.printToStandardError()
            exit(withError: ExitCode(failure.status.rawValue))
        }
    }
}
