import ArgumentParser
import Foundation

/// What the argument parser prints: a help text, or an error in the arguments with the usage of the command.
struct ParserMessage {
    private let text: String
    private let exitCode: ExitCode
    /// More columns than any help text has, so that the parser does not wrap it.
    fileprivate static let unlimited = 1 << 20
    /// The label with which the parser begins an error.
    private static let errorLabel = "Error: "

    /// - Parameters:
    ///   - error: An error of the argument parser.
    ///   - arguments: The arguments of the process, without its name.
    init(_ error: any Error, arguments: [String]) {
        if arguments.isEmpty {
            exitCode = .success
            text = CBLite.helpMessage(columns: Self.unlimited)
            return
        }
        // The parser shows the general help for a command that does not exist.
        let isHelpOfUnknown = arguments.first == "help" && Self.unknownCommand(arguments) != nil
        exitCode = isHelpOfUnknown ? .validationFailure : CBLite.exitCode(for: error)
        if isHelpOfUnknown {
            text = Self.improved("\nList the commands with: cblite --help", arguments)
            return
        }
        var text = Self.message(error, arguments)
        if exitCode != .success {
            if text.hasPrefix(Self.errorLabel) { text.removeFirst(Self.errorLabel.count) }
            text = Self.improved(text, arguments)
        }
        self.text = text
    }

    /// Returns the message of an error. If it repeats an argument with line feeds or escapes, it is that for the arguments as they are shown.
    private static func message(_ error: any Error, _ arguments: [String]) -> String {
        let text = CBLite.fullMessage(for: error, columns: unlimited)
        let parts = arguments.flatMap { [$0[...], $0.drop { $0 != "=" }.dropFirst()] }
        guard parts.contains(where: { DisplayWidth.printable(String($0)) != $0 && text.contains($0) }) else { return text }
        do {
            _ = try CBLite.parseAsRoot(arguments.map(DisplayWidth.printable))
            return text
        } catch {
            return CBLite.fullMessage(for: error, columns: unlimited)
        }
    }

    /// Prints a help text to standard output, an error with the prefix of all errors to standard error, and ends the process.
    func exit() -> Never {
        if !text.isEmpty {
            if exitCode == .success {
                do throws(OutputError) {
                    let output = Output()
                    try output.line(TerminalText(own: HelpLayout.wrap(text, to: TerminalSize.current().columns)))
                    try output.flush()
                } catch .closed {
                    // As `head` does.
                } catch {
                    let failure = Failure(.inputOutput, error.description)
                    failure.printToStandardError()
                    CBLite.exit(withError: ExitCode(failure.status.rawValue))
                }
            } else {
                let prefix = Style(for: .standardError).red(Failure.prefix)
                let text = HelpLayout.wrap(text, to: TerminalSize.current(STDERR_FILENO).columns)
                StandardStreams.printError("\(prefix)\(TerminalText(lines: text))\n")
            }
        }
        CBLite.exit(withError: exitCode)
    }

    /// Returns the message with a suggestion if a command or a value of an argument was misspelled.
    private static func improved(_ text: String, _ arguments: [String]) -> String {
        var lines = text.components(separatedBy: "\n")
        if let unknown = unknownCommand(arguments) {
            lines[0] = "there is no command '\(DisplayWidth.printable(unknown.typed))'"
            if let question = Suggestion.question(unknown.typed, among: unknown.names) { lines[0] += ". \(question)" }
            // The usage would be that of the shell, which is the command without a name.
            if unknown.isFirst { lines[1...] = ["Usage: cblite <subcommand>", "  See 'cblite --help' for more information."] }
        } else if lines[0].hasPrefix("The value '") {
            // The value 'crate' is invalid for '<action>'. Please provide one of 'list', 'create' or 'delete'.
            let quoted = lines[0].components(separatedBy: "'").enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
            if quoted.count > 2, let question = Suggestion.question(quoted[0], among: Array(quoted[2...])) { lines[0] += " \(question)" }
        } else if lines[0].hasPrefix("Missing value for '"), let value = arguments.first(where: { Int($0).map { $0 < 0 } ?? false }) {
            // The parser takes a negative number for another option.
            lines[0] += ". \(value) looks like an option: write '=' between an option and a negative number"
        } else if lines[0].contains("nexpected argument"), arguments.first == Export._commandName {
            lines[0] += ". Write to a file with: --output FILE"
        } else if let command = VerbOrder.command(arguments), let question = verbQuestion(arguments, of: command) {
            // The parser has taken the database and a misspelled verb for arguments of ls.
            lines[0] += ". \(question)"
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a suggestion if one of the words that can be the verb is a misspelled one.
    private static func verbQuestion(_ arguments: [String], of command: any ParsableCommand.Type) -> String? {
        let verbs = command.configuration.subcommands.flatMap { $0.names }
        let words = VerbOrder.possibleVerbs(arguments)
        guard !words.contains(where: verbs.contains) else { return nil }
        return words.lazy.filter { !DatabaseFiles.exist(at: DatabasePath.existing($0)) }
            .compactMap { Suggestion.question($0, among: verbs) }.first
    }

    /// Returns the first argument that stands where a command is expected and is none, and the commands that exist there.
    static func unknownCommand(_ arguments: [String]) -> (typed: String, names: [String], isFirst: Bool)? {
        var commands = CBLite.configuration.subcommands
        var isFirst = true
        for argument in arguments where !argument.hasPrefix("-") && argument != "help" {
            guard let command = commands.first(where: { $0.names.contains(argument) }) else {
                // A database only is a command too: it opens the shell.
                if isFirst, DatabaseFiles.exist(at: DatabasePath.existing(argument)) { return nil }
                return (argument, commands.flatMap { $0.names }, isFirst)
            }
            isFirst = false
            commands = command.configuration.subcommands
            if commands.isEmpty || command.configuration.defaultSubcommand != nil { return nil }
        }
        return nil
    }
}

extension Failure {
    /// Returns the failure with a suggestion if it may have been caused by a misspelled command, which is taken for a database.
    func suggestingCommand(_ arguments: [String]) -> Failure {
        guard status == .notFound, let unknown = ParserMessage.unknownCommand(arguments), unknown.isFirst,
            let name = Suggestion.nearest(to: unknown.typed, among: unknown.names)
        else { return self }
        return Failure(status, message, hint: "Did you mean the command '\(name)'?")
    }
}

extension CBLite {
    /// All commands with their names; those that are part of another command follow it, with its name before theirs.
    static var allCommands: [(path: [String], command: any ParsableCommand.Type)] {
        commands.flatMap { command in
            [([command._commandName], command)]
                + command.configuration.subcommands.map { ([command._commandName, $0._commandName], $0) }
        }
    }
}

extension ParsableCommand {
    /// The help text as it is before lines are wrapped.
    static var unwrappedHelp: String { CBLite.helpMessage(for: self, columns: ParserMessage.unlimited) }

    /// The name of the command and its aliases.
    static var names: [String] { [_commandName] + configuration.aliases }
}
