import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// The command-line tool.
@main
struct CBLite: ParsableCommand {
    static let commands: [any ParsableCommand.Type] =
        [
            Shell.self, Info.self, List.self, Cat.self, Put.self, Remove.self, Import.self, Export.self,
            QueryCommand.self, Execute.self, Explain.self, IndexCommand.self, ModelContextCommand.self, Revisions.self, Conflicts.self,
            BlobCommand.self, Edit.self, Watch.self, Collections.self, Tombstones.self, Expire.self,
        ] + replicationCommands + [
            Diff.self, Merge.self, Check.self, Copy.self, Move.self, BackUp.self, Restore.self, SalvageCommand.self, Compact.self,
            ChangeKey.self, Convert.self, Logs.self,
            Completions.self, Manual.self,
        ]

    private static var replicationCommands: [any ParsableCommand.Type] {
        #if Replication
        [Push.self, Pull.self, Sync.self, Serve.self, HubCommand.self, Inspect.self]
        #else
        []
        #endif
    }

    static let configuration = CommandConfiguration(
        commandName: "cblite",
        abstract: "Opens, changes, queries, replicates and checks Couchbase Lite databases.",
        discussion: """
            With a database only, the tool is a shell for it. A database is specified by the path of its directory; the extension \
            .cblite2 may be omitted.

            Commands that do not write open the database read-only, so they do not upgrade a file of an older release. Commands \
            that write upgrade it first, as release 3.2 would.

            EXAMPLES:
              $ cblite import --create travel.cblite2 Samples/travel/airports.jsonl
              $ cblite ls -l travel.cblite2 'airport_C*'
              $ cblite travel.cblite2
              $ cblite cat travel.cblite2 airport_CDG
              $ cblite query travel.cblite2 "SELECT name, geo.alt FROM _ WHERE country = 'Peru' LIMIT 3"
              $ cblite export travel.cblite2 > travel.jsonl
              $ cblite sync travel.cblite2 ws://localhost:4984/travel
              $ cblite check travel.cblite2

            \(ExitReason.table)

            Errors are printed to standard error, often with a hint how to fix them. With --json every command prints JSON. \
            Colours and progress bars are shown on terminals only; NO_COLOR disables the colours.
            """,
        version: "cblite 0.9.0",
        subcommands: commands,
        defaultSubcommand: Shell.self
    )

    static func main() {
        DisplayWidth.prepare()
        StandardStreams.keepDescriptors()
        // When the reader closes the pipe, as `head` does, the write fails with EPIPE instead: see `Output`.
        signal(SIGPIPE, SIG_IGN)
        // The commands report errors themselves.
        LogSinks.console = nil
        let arguments = VerbOrder.normalized(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try parsed(arguments.isEmpty ? ["--help"] : arguments)
            defer { Pager.finish() }
            try command.run()
        } catch let error as ExitCode {
            exit(withError: error)
        } catch OutputError.closed {
            exit(withError: ExitCode.success)
        } catch {
            guard let failure = Failure(error) else { ParserMessage(error, arguments: arguments).exit() }
            failure.suggestingCommand(arguments).printToStandardError()
            exit(withError: ExitCode(failure.status.rawValue))
        }
    }
}
