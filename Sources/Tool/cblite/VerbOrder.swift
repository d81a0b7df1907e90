import ArgumentParser

/// The order of the words of `cblite index` and `cblite collections`, whose verb may also follow the database.
///
/// `cblite index DATABASE create NAME` was the order of earlier versions. A database whose name is that of a verb is given as a path, such as
/// `./create`.
enum VerbOrder {
    private static let commands: [any ParsableCommand.Type] = [IndexCommand.self, Collections.self]

    /// The options of these commands that have no value. All others have one.
    static let flags: Set = [
        "--json", "--full-text", "--ignore-accents", "--vector", "--lazy", "--yes", "-y", "--password", "--help", "-h", "--version",
    ]
    /// The options that are one hyphen and a letter. Other words that begin with one hyphen are expressions.
    static let shortOptions: Set = ["-c", "-y", "-h"]

    /// Returns the command if the verb of its arguments can have two places; `nil` for other commands.
    static func command(_ arguments: [String]) -> (any ParsableCommand.Type)? {
        arguments.first.flatMap { name in commands.first { $0._commandName == name } }
    }

    /// Returns the arguments of the tool with the verb before the database. Expressions that begin with a hyphen are moved behind `--`, so that the
    /// parser does not take them for options.
    static func normalized(_ arguments: [String]) -> [String] {
        guard let command = Self.command(arguments) else { return arguments }
        var words = arguments
        let verbs = command.configuration.subcommands.flatMap { $0.names }
        if let place = positions(in: words).prefix(2).first(where: { verbs.contains(words[$0]) }), place > 1 {
            words.insert(words.remove(at: place), at: 1)
        }
        return words.starts(with: [IndexCommand._commandName, IndexCreate._commandName]) ? separatingExpressions(words) : words
    }

    /// Returns the words among the first two that are no options, where the verb can be.
    static func possibleVerbs(_ arguments: [String]) -> [String] { positions(in: arguments).prefix(2).map { arguments[$0] } }

    /// Returns the places of the words that are neither options nor values of options, up to `--`, without the name of the command.
    private static func positions(in words: [String]) -> [Int] {
        var positions: [Int] = []
        var place = 1
        while place < words.count, words[place] != "--" {
            if words[place].hasPrefix("-") {
                place += hasValueBehind(words[place]) ? 2 : 1
            } else {
                positions.append(place)
                place += 1
            }
        }
        return positions
    }

    private static func hasValueBehind(_ option: String) -> Bool { !flags.contains(option) && !option.contains("=") }

    private static func isOption(_ word: String) -> Bool {
        word.hasPrefix("--") || shortOptions.contains(String(word.prefix { $0 != "=" }))
    }

    private static func separatingExpressions(_ words: [String]) -> [String] {
        var (options, others): ([String], [String]) = ([], [])
        var hasHyphen = false
        var place = 2
        while place < words.count, words[place] != "--" {
            let word = words[place]
            // The first words are the database and the name of the index.
            let isExpression = word.hasPrefix("-") && !isOption(word) && others.count >= 2
            if isExpression || !word.hasPrefix("-") {
                hasHyphen = hasHyphen || isExpression
                others.append(word)
                place += 1
            } else {
                let end = min(place + (hasValueBehind(word) ? 2 : 1), words.count)
                options += words[place..<end]
                place = end
            }
        }
        guard hasHyphen else { return words }
        return words[..<2] + options + ["--"] + others + words[min(place + 1, words.count)...]
    }
}
