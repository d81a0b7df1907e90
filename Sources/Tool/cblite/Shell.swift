import ArgumentParser
import CouchbaseLiteSwift

/// `cblite shell`, and `cblite` with a database only
struct Shell: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Queries and changes a database interactively.",
        discussion: """
            Statements of SQL++ end with a semicolon, and may extend over several lines. Every command of the tool works, without \
            the name of the database. Lines that begin with a backslash control the shell: \\? lists them. The tab key completes \
            commands, collections, properties, keywords, functions and document IDs; the arrow keys recall earlier lines.

            EXAMPLES:
              $ cblite travel.cblite2
              travel> SELECT name, geo.alt FROM _ WHERE country = 'Peru';
              travel> \\d
              travel> ls -l 'airport_C*'
              travel> index create byCountry country
              $ echo "SELECT count(*) AS n FROM _;" | cblite shell --json travel.cblite2

            If standard input is no terminal, its lines are run without questions, and the first error ends the shell with its exit \
            code.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @OptionGroup var rows: RowOptions

    func run() throws {
        guard ShellContext.current == nil else { throw Failure(.usage, "this is the shell already") }
        let opening = try database.opening()
        let session = ShellSession(opening, .all, rows: rows)
        // Says at once if the database cannot be opened.
        try session.withDatabase { _ in }
        try ShellContext.$current.withValue(session.context) { try session.run() }
    }
}

/// A command whose first argument is not a database. Inside the shell, all others get the name of its database.
protocol StandaloneCommand: ParsableCommand {}

extension Restore: StandaloneCommand {}
extension Logs: StandaloneCommand {}
extension Completions: StandaloneCommand {}
extension Manual: StandaloneCommand {}

extension ToolCommands {
    /// All commands but the shell itself.
    static let all = ToolCommands(
        names: Set(CBLite.commands.map { $0._commandName }).subtracting(["shell"]).union(["help"]),
        run: run
    )

    private static func run(_ words: [String], path: String) throws {
        do {
            var command = try CBLite.parsed(adding(path, to: words))
            try command.run()
        } catch  where CBLite.exitCode(for: error) == .success && !(error is OutputError) {
            // Help is an error for the argument parser.
            StandardStreams.printError(CBLite.fullMessage(for: error) + "\n")
        } catch  where CBLite.exitCode(for: error) == .validationFailure {
            throw Failure(.usage, CBLite.message(for: error), hint: "help \(words[0]) shows how the command is used.")
        }
    }

    /// Inserts the database after the name of the command, and of its subcommand.
    private static func adding(_ path: String, to words: [String]) -> [String] {
        guard !words.contains("--help"), !words.contains("-h"),
            var command = CBLite.commands.first(where: { $0._commandName == words[0] })
        else { return words }
        var place = 1
        while place < words.count, let inner = command.configuration.subcommands.first(where: { $0.names.contains(words[place]) }) {
            command = inner
            place += 1
        }
        // A command that is no verb, such as `index`, has a verb that may be omitted.
        let needsVerb = !command.configuration.subcommands.isEmpty && command.configuration.defaultSubcommand == nil
        if command is any StandaloneCommand.Type || needsVerb { return words }
        return VerbOrder.normalized(words[..<place] + [path] + words[place...])
    }
}
