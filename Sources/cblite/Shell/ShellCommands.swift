import ArgumentParser
import Foundation

/// The commands of the tool inside the shell, where they get the name of the database.
enum ShellCommands {
    static let names: Set<String> = Set(CBLite.commands.map(name(of:))).subtracting(["shell"]).union(["help"])

    private static func name(of command: any ParsableCommand.Type) -> String { command._commandName }

    /// The commands whose first argument is a database.
    private static let takingDatabase = Set(
        CBLite.commands.filter { command in
            Mirror(reflecting: command.init()).children.contains { $0.value is OptionGroup<DatabaseArgument> }
        }.map(name(of:))
    )

    /// Runs a command line, the first word of which is the name of a command.
    static func run(_ words: [String], path: String) throws {
        var arguments = words
        let asksForHelp = words.contains("--help") || words.contains("-h") || words[0] == "help"
        if !asksForHelp, takingDatabase.contains(words[0]) { arguments.insert(path, at: 1) }
        do {
            var command = try CBLite.parseAsRoot(arguments)
            try command.run()
        } catch  where CBLite.exitCode(for: error) == .success && !(error is OutputError) {
            // Help is an error for the argument parser.
            StandardStreams.printError(CBLite.fullMessage(for: error) + "\n")
        } catch  where CBLite.exitCode(for: error) == .validationFailure {
            throw Failure(.usage, CBLite.message(for: error), hint: "help \(words[0]) shows how the command is used.")
        }
    }

    static func unknown(_ name: String) -> Failure {
        let nearest = Suggestion.nearest(to: name, among: names.sorted())
        return Failure(
            .usage,
            "there is no command \(name)" + (nearest.map { "; did you mean \($0)?" } ?? ""),
            hint: #"\? lists the commands. Statements begin with SELECT, UPDATE, DELETE, INSERT or UPSERT."#
        )
    }
}
