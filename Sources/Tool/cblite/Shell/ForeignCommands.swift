/// What to type in place of commands and statements of other databases.
enum ForeignCommands {
    private static let dotCommands = [
        ".schema": #"\d"#, ".tables": "collections", ".indexes": "index", ".indices": "index", ".databases": "info", ".mode": #"\format"#,
        ".read": #"\i FILE"#, ".output": #"\o FILE"#, ".timer": #"\timing"#, ".dump": "export", ".import": "import FILE", ".help": #"\?"#,
        ".quit": #"\q"#, ".exit": #"\q"#,
    ]

    private static let transactions: Set<String> = ["BEGIN", "COMMIT", "ROLLBACK", "START", "SAVEPOINT"]

    /// Returns what is said about a line that is no command of the tool; `nil` if it is unknown elsewhere, too.
    static func failure(_ words: [String]) -> Failure? {
        let names = words.map { $0.trimmingSuffix(";").uppercased() }
        guard let name = names.first else { return nil }
        if let instead = dotCommands[name.lowercased()] { return failure(name.lowercased(), "Type: \(instead)") }
        if transactions.contains(name) {
            return failure(name, "Each statement is a transaction of its own: all its changes are stored together, or none.")
        }
        switch (name, names.dropFirst().first { $0 != "UNIQUE" && $0 != "PRIMARY" }) {
        case ("CREATE", "INDEX"): return failure("CREATE INDEX", "Type: index create NAME EXPRESSION…")
        case ("DROP", "INDEX"): return failure("DROP INDEX", "Type: index delete NAME")
        case ("CREATE", "TABLE"), ("CREATE", "COLLECTION"):
            return failure(names[0...1].joined(separator: " "), "Type: collections create NAME")
        case ("DROP", "TABLE"), ("DROP", "COLLECTION"): return failure(names[0...1].joined(separator: " "), "Type: collections delete NAME")
        case ("SHOW", _), ("DESCRIBE", _): return failure(name, #"Type: \d for the properties, collections, or index"#)
        default: return nil
        }
    }

    private static func failure(_ name: String, _ hint: String) -> Failure { Failure(.usage, "there is no command \(name)", hint: hint) }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String { hasSuffix(suffix) ? String(dropLast(suffix.count)) : self }
}
