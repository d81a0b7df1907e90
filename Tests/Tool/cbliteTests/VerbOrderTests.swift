import ArgumentParser
import Foundation
import Testing

@testable import cblite

@Suite("The order of verb and database")
struct VerbOrderTests {
    @Test(
        "the verb is moved before the database and before options",
        arguments: [
            ("index db create n a", "index create db n a"), ("index -c create db", "index -c create db"),
            ("index -c s.x --json db delete n", "index delete -c s.x --json db n"), ("index create db n a", "index create db n a"),
            ("index --busy-timeout=2 db ls", "index ls --busy-timeout=2 db"), ("index create create n a", "index create create n a"),
            ("index db", "index db"), ("index", "index"), ("index db n create", "index db n create"),
            ("collections db delete x --yes", "collections delete db x --yes"), ("collections -- db create", "collections -- db create"),
            ("blob db ls", "blob db ls"), ("ls db create", "ls db create"),
        ]
    )
    func verbs(given: String, expected: String) {
        func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        #expect(VerbOrder.normalized(words(given)) == words(expected))
    }

    @Test(
        "expressions that begin with one hyphen are moved behind two hyphens, and keep their order",
        arguments: [
            ("index create db n -v", "index create -- db n -v"),
            ("index create -c s.x db n a -v --where w b", "index create -c s.x --where w -- db n a -v b"),
            ("index db create n -v -- -w", "index create -- db n -v -w"), ("index create db n a", "index create db n a"),
            ("index create db n a -c x", "index create db n a -c x"), ("index create db n a -c=x", "index create db n a -c=x"),
            ("index create db -v", "index create db -v"), ("index create db n --v", "index create db n --v"),
        ]
    )
    func expressions(given: String, expected: String) {
        func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        #expect(VerbOrder.normalized(words(given)) == words(expected))
    }

    @Test("all options without a value are known")
    func flags() {
        let commands: [any ParsableCommand.Type] = [IndexCommand.self, Collections.self]
        for command in commands + commands.flatMap({ $0.configuration.subcommands }) {
            for line in command.unwrappedHelp.split(separator: "\n") where line.hasPrefix("  -") {
                let label = line.dropFirst(2).components(separatedBy: "  ")[0]
                let names = label.split(separator: ", ").map { String($0.prefix { $0 != " " }) }
                #expect(names.allSatisfy { VerbOrder.flags.contains($0) } == !label.contains("<"), "\(label)")
                for name in names where !name.hasPrefix("--") { #expect(VerbOrder.shortOptions.contains(name)) }
            }
        }
    }
}
