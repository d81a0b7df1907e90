import ArgumentParser

/// The command that the first arguments of the tool name, and the arguments behind its name.
///
/// To parse the arguments of the tool, the parser makes the options of the default command twice, and those of the command that is named four
/// times. In a build without optimization it also checks them each time, and a group four times for each group around it, which takes longer
/// than most commands. A command that is parsed by itself makes its own options twice, and no others.
struct NamedCommand {
    let command: any ParsableCommand.Type
    let arguments: [String]

    /// Finds the command as the parser does. The commands above it must have no arguments of their own.
    ///
    /// - Parameter arguments: The arguments of the tool. Returns `nil` if they do not begin with the name of a command, or if a verb is
    ///   missing behind it.
    init?(_ arguments: [String]) {
        var words = arguments[...]
        guard let name = words.popFirst(), var command = Self.command(name, among: CBLite.commands) else { return nil }
        while !command.configuration.subcommands.isEmpty {
            let configuration = command.configuration
            if let name = words.first, let inner = Self.command(name, among: configuration.subcommands) {
                command = inner
                words.removeFirst()
            } else if let inner = configuration.defaultSubcommand {
                command = inner
            } else {
                return nil
            }
        }
        self.command = command
        self.arguments = Array(words)
    }

    private static func command(_ name: String, among commands: [any ParsableCommand.Type]) -> (any ParsableCommand.Type)? {
        commands.first { $0.names.contains(name) }
    }
}

extension CBLite {
    /// Parses the arguments of the tool, with the same result as `parseAsRoot`.
    ///
    /// - Throws: The errors of `parseAsRoot`.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if let named = NamedCommand(arguments), let command = named.command.parsedAlone(named.arguments) { return command }
        // The text of an error or of a help names the commands above the one that it is about.
        return try parseAsRoot(arguments)
    }
}

extension ParsableCommand {
    /// Returns the command with the arguments behind its name; `nil` if they are invalid or ask for its help.
    fileprivate static func parsedAlone(_ arguments: [String]) -> Self? { try? parseAsRoot(arguments) as? Self }
}
