import ArgumentParser

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
            var command = try CBLite.parseAsRoot(adding(path, to: words))
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
        while place < words.count, let inner = command.configuration.subcommands.first(where: { $0._commandName == words[place] }) {
            command = inner
            place += 1
        }
        if command is any StandaloneCommand.Type || !command.configuration.subcommands.isEmpty { return words }
        return words[..<place] + [path] + words[place...]
    }
}
