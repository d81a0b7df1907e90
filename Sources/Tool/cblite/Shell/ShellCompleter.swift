import CouchbaseLiteSwift
import Foundation

/// Completes words in the shell: commands, collections, properties that documents have, words of the query language, document IDs.
final class ShellCompleter {
    private unowned let session: ShellSession
    /// The names in the database, which are read when they are first needed, and again after a while.
    private var names: (collections: [String], properties: [String])?
    private var readTime = ContinuousClock.now
    private static let lifetime = Duration.seconds(30)
    private static let maximumIDs = 500

    init(_ session: ShellSession) { self.session = session }

    func complete(_ text: String, cursor: Int) -> Completion {
        let before = String(decoding: Array(text.utf8.prefix(cursor)), as: UTF8.self)
        let isCommand = ShellText.statementKeyword(before) == nil
        let word = Self.word(before, isCommand: isCommand)
        let start = String(before.dropLast(word.count))
        var completion = Completion(wordSize: word.utf8.count, characters: word.unicodeScalars.count, candidates: [])
        if start.allSatisfy(\.isWhitespace) {
            let statements = ["SELECT", "UPDATE", "DELETE", "INSERT", "UPSERT", "EXPLAIN"]
            completion.candidates = Self.matching(word, statements + ShellControl.names + session.tools.names + ["exit", "quit"])
        } else if isCommand {
            completion.candidates = arguments(of: start, word)
        } else {
            completion.candidates = queryWords(word)
            if completion.candidates.count == 1, completion.candidates[0].hasSuffix("(") || completion.candidates[0].hasSuffix(".") {
                completion.suffix = ""
            }
        }
        return completion
    }

    /// The word that ends at the end of the text.
    private static func word(_ text: String, isCommand: Bool) -> String {
        let scalars = text.unicodeScalars
        let start = scalars.lastIndex { scalar in
            if isCommand { return scalar == " " || scalar == "'" || scalar == "\"" }
            return !(scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "_.$`".unicodeScalars.contains(scalar))
        }
        return String(scalars[(start.map { scalars.index(after: $0) } ?? scalars.startIndex)...])
    }

    /// Returns the candidates that begin with the word, whatever the case of their letters, without duplicates and sorted.
    private static func matching(_ word: String, _ candidates: [String]) -> [String] {
        let lower = word.lowercased()
        return Set(candidates.filter { $0.lowercased().hasPrefix(lower) }).sorted()
    }

    private func arguments(of start: String, _ word: String) -> [String] {
        let command = start.split(separator: " ").first.map(String.init) ?? ""
        switch command {
        case #"\c"#, #"\d"#: return Self.matching(word, databaseNames().collections)
        case #"\format"#: return Self.matching(word, RowFormat.allCases.map(\.rawValue))
        case #"\i"#, #"\o"#, "import": return files(word)
        case "help": return Self.matching(word, Array(session.tools.names))
        case let name where name.hasPrefix("\\"): return []
        default: return start.hasSuffix("-c ") ? Self.matching(word, databaseNames().collections) : documentIDs(word)
        }
    }

    private func queryWords(_ word: String) -> [String] {
        let (collections, properties) = databaseNames()
        // Words of the language are completed in the case in which they are typed.
        let isLower = word.first?.isLowercase ?? false
        let keywords = LanguageWords.keywords.map { isLower ? $0.lowercased() : $0 }
        var found = Self.matching(word, word.isEmpty ? properties : properties + collections + keywords + LanguageWords.functions)
        if found.isEmpty, let dot = word.firstIndex(of: ".") {
            // The part before the first dot may be the alias of a collection.
            let (alias, rest) = (word[...dot], word[word.index(after: dot)...])
            found = Self.matching(String(rest), properties).map { alias + $0 }
        }
        return found
    }

    private func databaseNames() -> (collections: [String], properties: [String]) {
        if let names, ContinuousClock.now - readTime < Self.lifetime { return names }
        let read = try? session.withDatabase { database in
            let collections = try database.scopes().flatMap { try $0.collections() }
            let names = collections.map { $0.scope.name == Database.defaultScopeName ? $0.name : $0.fullName }
            let paths = try collections.prefix(20).flatMap { try SampledProperties($0, documents: 200).properties.map(\.path) }
            return (collections: names, properties: Array(Set(paths.filter { !$0.contains("[]") })).sorted())
        }
        names = read ?? (collections: [], properties: [])
        readTime = .now
        return names ?? ([], [])
    }

    private func documentIDs(_ word: String) -> [String] {
        guard !word.isEmpty else { return [] }
        var ids: [String] = []
        try? session.withDatabase { database in
            let named = try session.context.collection.flatMap { try CollectionName($0).find(in: database, creating: false) }
            let collection = try named ?? database.defaultCollection()
            if try collection.storedDocument(word) != nil { ids.append(word) }
            // In the order of the IDs, those that begin with the word follow it.
            try collection.forEachStoredDocument(after: word) { document in
                guard document.id.utf8.starts(with: word.utf8) else { return false }
                ids.append(document.id)
                return ids.count < Self.maximumIDs
            }
        }
        return ids
    }

    private func files(_ word: String) -> [String] {
        let directory = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.isEmpty ? "." : directory)) ?? []
        return names.map { directory + $0 }.filter { $0.hasPrefix(word) }.sorted()
    }
}
