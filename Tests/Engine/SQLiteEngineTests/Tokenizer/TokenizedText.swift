import SQLiteEngine

/// The tokens of texts, read through SQLite's table for testing tokenizers.
struct TokenizedText {
    struct Token: Equatable {
        var text: String
        var start: Int
        var end: Int
        var position: Int
    }

    private let statement: Statement

    /// - Parameter arguments: The arguments of the tokenizer, as written in CREATE VIRTUAL TABLE.
    init(_ arguments: [String], tokenizer: String = Connection.fullTextTokenizerName) throws {
        let connection = try Connection.inMemory()
        try connection.registerFullTextTokenizer()
        let list = ([tokenizer] + arguments.map { "'\($0)'" }).joined(separator: ", ")
        try connection.execute("CREATE VIRTUAL TABLE tokens USING fts3tokenize(\(list))")
        statement = try connection.prepare("SELECT token, start, end, position FROM tokens WHERE input = ?")
        self.connection = connection
    }

    private let connection: Connection

    func tokens(of text: String) throws -> [Token] {
        try tokens(of: Array(text.utf8))
    }

    func tokens(of utf8: [UInt8]) throws -> [Token] {
        defer { statement.reset() }
        try utf8.withUnsafeBytes { try statement.bindText($0, at: 1) }
        var found: [Token] = []
        while try statement.step() {
            found.append(
                Token(
                    text: statement.text(at: 0),
                    start: Int(statement.int64(at: 1)),
                    end: Int(statement.int64(at: 2)),
                    position: Int(statement.int64(at: 3))
                )
            )
        }
        return found
    }

    func words(of text: String) throws -> [String] { try tokens(of: text).map(\.text) }
}
