/// Takes texts apart as a full-text table does that has been made by a certain statement (Query 6.2): for comparing what the table has
/// indexed with what it should have.
package struct FullTextAnalyzer {
    private let tokenizer: FullTextTokenizer

    /// - Parameter statement: The statement that has made the table; the arguments of its tokenizer stand at its end.
    package init(statement: String) {
        let mark = "tokenize=\(Connection.fullTextTokenizerName)"
        let start = statement.firstRange(of: mark)?.upperBound ?? statement.endIndex
        let arguments = statement[start...].split(separator: "\"", omittingEmptySubsequences: false)
        // Every other part stands between quotation marks; the arguments have none in them.
        tokenizer = FullTextTokenizer(arguments: arguments.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
    }

    /// Calls `body` with the terms of a text in UTF-8, one after another. Their bytes are void when it returns.
    package func forEachTerm(of text: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard let start = text.baseAddress, !text.isEmpty else { return }
        let cursor = TokenCursor(tokenizer, text: start.assumingMemoryBound(to: UInt8.self), count: text.count)
        while cursor.advance() { body(UnsafeBufferPointer(start: cursor.token, count: cursor.tokenCount)) }
    }
}
