/// Parses what is typed into the shell.
enum ShellText {
    /// Splits text after the first semicolon that ends a statement; `nil` if none does. Semicolons in strings, in names between backticks and
    /// in comments do not end a statement (Query 2.1).
    static func splitStatement(_ text: String) -> (statement: String, rest: String)? {
        let bytes = Array(text.utf8)
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: ";") {
                let parts = (bytes[..<position], bytes[(position + 1)...])
                return (String(decoding: parts.0, as: UTF8.self), String(decoding: parts.1, as: UTF8.self))
            }
            position = end(ofTokenAt: position, in: bytes)
        }
        return nil
    }

    /// Whether the text has only white space, comments and semicolons.
    static func isBlank(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.dropFirst(startOfWords(in: bytes)).isEmpty
    }

    /// Returns the first word in capital letters if the text begins with a statement; `nil` if it is a command.
    static func statementKeyword(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let word = bytes[startOfWords(in: bytes)...].prefix { isLetter($0) }
        let keyword = String(decoding: word, as: UTF8.self).uppercased()
        return statements.contains(keyword) ? keyword : nil
    }

    /// Returns the first word in capital letters if the text begins with a statement that changes documents.
    static func changingKeyword(_ text: String) -> String? {
        statementKeyword(text).flatMap { ["UPDATE", "DELETE", "INSERT", "UPSERT"].contains($0) ? $0 : nil }
    }

    /// Returns whether a text is a DELETE that nothing limits to some documents.
    static func deletesAll(_ text: String) -> Bool {
        statementKeyword(text) == "DELETE" && words(outsideQuotes: text).isDisjoint(with: ["WHERE", "USE", "LIMIT"])
    }

    /// Returns what to type in place of an INSERT or UPSERT of other databases; `nil` if the text has the form that is used here.
    static func insertionHint(_ text: String) -> String? {
        guard let keyword = statementKeyword(text), keyword == "INSERT" || keyword == "UPSERT", !words(outsideQuotes: text).contains("KEY")
        else { return nil }
        return "Type: \(keyword) INTO _ (KEY, VALUE) VALUES ('ID', {'name': 'value'})"
    }

    /// Returns the words of a statement in capital letters, without those in quotes and comments.
    private static func words(outsideQuotes text: String) -> Set<String> {
        let bytes = Array(text.utf8)
        var words: Set<String> = []
        var position = 0
        while position < bytes.count {
            let word = bytes[position...].prefix { isLetter($0) || $0 == UInt8(ascii: "_") }
            if !word.isEmpty { words.insert(String(decoding: word, as: UTF8.self).uppercased()) }
            position = word.isEmpty ? end(ofTokenAt: position, in: bytes) : word.endIndex
        }
        return words
    }

    /// Returns the text after its first word.
    static func afterFirstWord(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: bytes[startOfWords(in: bytes)...].drop { isLetter($0) }, as: UTF8.self)
    }

    /// The words with which statements begin.
    static let statements: Set<String> = ["SELECT", "UPDATE", "DELETE", "INSERT", "UPSERT", "EXPLAIN"]

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static func startOfWords(in bytes: [UInt8]) -> Int {
        var position = 0
        while position < bytes.count {
            let isSkipped = " \t\r\n;(".utf8.contains(bytes[position]) || startsComment(position, bytes)
            guard isSkipped else { break }
            position = end(ofTokenAt: position, in: bytes)
        }
        return position
    }

    private static func startsComment(_ position: Int, _ bytes: [UInt8]) -> Bool {
        guard position + 1 < bytes.count else { return false }
        let pair = (bytes[position], bytes[position + 1])
        return pair == (UInt8(ascii: "-"), UInt8(ascii: "-")) || pair == (UInt8(ascii: "/"), UInt8(ascii: "*"))
    }

    /// Returns the end of a quoted text, of a comment, or of a single byte.
    private static func end(ofTokenAt start: Int, in bytes: [UInt8]) -> Int {
        let rest = bytes[(start + 1)...]
        if startsComment(start, bytes) {
            if bytes[start] == UInt8(ascii: "-") { return rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count }
            var position = start + 2
            while position + 1 < bytes.count, (bytes[position], bytes[position + 1]) != (UInt8(ascii: "*"), UInt8(ascii: "/")) {
                position += 1
            }
            return min(position + 2, bytes.count)
        }
        // A doubled quote is read as the end of one quoted text and the start of another.
        guard "'\"`".utf8.contains(bytes[start]) else { return start + 1 }
        return rest.firstIndex(of: bytes[start]).map { $0 + 1 } ?? bytes.count
    }

    /// Splits a command line into words as a shell does: at spaces, except between quotes or after a backslash.
    ///
    /// - Throws: ``Failure`` if a quote is not closed.
    static func words(_ line: String) throws(Failure) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote { throw Failure(.usage, "the quote \(quote) is not closed") }
        if let finished = word { words.append(finished) }
        return words
    }
}
