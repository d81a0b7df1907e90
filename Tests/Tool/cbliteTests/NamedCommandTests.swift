import ArgumentParser
import Testing

@testable import cblite

@Suite("Commands that are parsed by themselves")
struct NamedCommandTests {
    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

    @Test(
        "the first words name the command, and the words behind them are its arguments",
        arguments: [
            ("ls -l db", "List", "-l db"), ("ls ls", "List", "ls"), ("manual", "Manual", ""), ("shell -- db", "Shell", "-- db"),
            ("blob get db a", "BlobGet", "db a"), ("tombstones purge db", "TombstonePurge", "db"),
            ("collections create db x", "CollectionCreate", "db x"), ("collections db", "CollectionList", "db"),
            ("index", "IndexList", ""), ("index --json create", "IndexList", "--json create"),
        ]
    )
    func names(given: String, command: String, arguments: String) throws {
        let named = try #require(NamedCommand(Self.words(given)))
        #expect(String(describing: named.command) == command)
        #expect(named.arguments == Self.words(arguments))
    }

    @Test(
        "other first words name no command",
        arguments: ["", "db", "help ls", "--help", "--json ls db", "-- ls db", "blob", "blob gte db", "tombstones --json purge"]
    )
    func others(given: String) {
        #expect(NamedCommand(Self.words(given))?.arguments == nil)
    }

    @Test(
        "the result is that of parsing all arguments, also the texts of errors",
        arguments: [
            "ls -l db a* --limit 3", "index create -c s.x -- db n -a", "collections db", "logs a b --json", "logs -- --json",
            "completions zsh", "logs", "logs --help", "logs a --version", "logs a --jsn", "completions zsh x", "completions zhs",
            "completions --generate-completion-script xsh", "logs ---completion -- x 0 0", "index help", "blob", "help logs",
        ]
    )
    func results(given: String) {
        func outcome(_ parse: ([String]) throws -> any ParsableCommand) -> String {
            do {
                return String(describing: try parse(Self.words(given)))
            } catch {
                return "\(CBLite.exitCode(for: error).rawValue) \(CBLite.fullMessage(for: error, columns: 1_000))"
            }
        }
        let expected = outcome { try CBLite.parseAsRoot($0) }
        let result = outcome { try CBLite.parsed($0) }
        #expect(result == expected)
    }

    @Test("a command that has other commands has no arguments, which would be parsed before those of the other commands")
    func commandsAbove() {
        func check(_ command: any ParsableCommand.Type) {
            let commands = command.configuration.subcommands
            #expect(commands.isEmpty || Mirror(reflecting: command.init()).children.isEmpty, "\(command)")
            for inner in commands { check(inner) }
        }
        check(CBLite.self)
    }
}
