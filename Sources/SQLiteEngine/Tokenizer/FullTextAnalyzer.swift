/// Splits texts into terms like a full-text table created by a given statement (Query 6.2). Used to compare the terms in a table's index
/// with the expected ones.
package struct FullTextAnalyzer {
    private let tokenizer: FullTextTokenizer

    /// - Parameter statement: The statement that created the table. The tokenizer's arguments are at its end.
    package init(statement: String) {
        let mark = "tokenize=\(Connection.fullTextTokenizerName)"
        let start = statement.firstRange(of: mark)?.upperBound ?? statement.endIndex
        let arguments = statement[start...].split(separator: "\"", omittingEmptySubsequences: false)
        // Every second part was in quotation marks. The arguments themselves contain none.
        tokenizer = FullTextTokenizer(arguments: arguments.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    /// Calls `body` with each term of a text in UTF-8, in order. The bytes are only valid during the call.
    package func forEachTerm(of text: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let start = text.baseAddress, !text.isEmpty else { return }
        let cursor = TokenCursor(tokenizer, text: start.assumingMemoryBound(to: UInt8.self), count: text.count)
        while cursor.advance() { body(UnsafeBufferPointer(start: cursor.token, count: cursor.tokenCount)) }
    }
}
