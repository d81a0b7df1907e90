internal import Foundation

/// Splits a text into tokens for SQLite, which refers to it by its address.
final class TokenCursor {
    // SQLite ensures exclusive access, because it makes one call at a time.
    @exclusivity(unchecked) var scanner: TokenScanner

    init(_ tokenizer: FullTextTokenizer, text: UnsafePointer<UInt8>, count: Int) {
        scanner = TokenScanner(tokenizer, text: text, count: count)
    }
}

/// Splits a text into tokens (Query 6.2).
///
/// Unsafe: it reads the text, which SQLite keeps until the scanner ends, only below its count, and writes the token into a buffer of
/// its own, which ``reserve(_:)`` enlarges before each character if necessary.
struct TokenScanner: ~Copyable {
    private let tokenizer: FullTextTokenizer
    private let text: UnsafePointer<UInt8>
    private let count: Int
    private let isOfQuery: Bool
    private var offset = 0
    private var capacity = 64
    private var run: FullTextTokenizer.Run?
    private var isAtEnd = false

    /// The current token, folded and stemmed.
    private(set) var token: UnsafeMutablePointer<UInt8>
    private(set) var tokenCount = 0
    /// The byte range of the token in the text.
    private(set) var start = 0
    private(set) var end = 0
    /// The number of preceding tokens.
    private(set) var position: Int32 = -1

    init(_ tokenizer: FullTextTokenizer, text: UnsafePointer<UInt8>, count: Int) {
        self.tokenizer = tokenizer
        self.text = text
        self.count = count
        isOfQuery = FullTextQueryMark.isSet
        token = .allocate(capacity: 64)
    }

    deinit {
        if tokenizer.breaksWords { tokenizer.unfinished = isAtEnd || run?.bytes.isEmpty != false ? nil : run }
        token.deallocate()
    }

    /// Advances to the next token. Returns `false` at the end of the text.
    mutating func advance() -> Bool {
        guard let hash = advanceToWord() else { return false }
        if let stemmer = tokenizer.stemmer, !isExact {
            replace(UnsafeBufferPointer(start: token, count: tokenCount), withStemBy: stemmer, hash)
        }
        return true
    }

    /// Advances to the next word, without replacing it by its stem. Returns its hash; `nil` at the end of the text.
    @inline(__always)
    mutating func advanceToWord() -> UInt32? {
        while let hash = scan() {
            let word = UnsafeBufferPointer(start: token, count: tokenCount)
            // `the*` in a query searches for words with that prefix. In a document `the` is always a stop word.
            if let stopWords = tokenizer.stopWords, stopWords.contains(word, hash: hash),
                !(isOfQuery && end < count && text[end] == UInt8(ascii: "*")), !isExact
            {
                continue
            }
            position += 1
            return hash
        }
        isAtEnd = true
        return nil
    }

    /// Whether the current token is a term of the index as it stands in a pattern: ``FullTextAnalyzer/exactMark`` is before it, or before the
    /// `^` before it.
    @inline(__always)
    private var isExact: Bool {
        guard isOfQuery, start > 0 else { return false }
        let isAfterCaret = text[start - 1] == UInt8(ascii: "^") && start > 1
        return text[start - (isAfterCaret ? 2 : 1)] == FullTextAnalyzer.exactMark
    }

    /// Replaces the current token by its stem.
    @inline(__always)
    private mutating func replace(_ word: UnsafeBufferPointer<UInt8>, withStemBy stemmer: Stemmer, _ hash: UInt32) {
        let stem = stemmer.stem(word, hash: hash)
        guard stem.baseAddress != word.baseAddress, let source = stem.baseAddress else { return }
        if stem.count > capacity { reserve(stem.count) }
        token.update(from: source, count: stem.count)
        tokenCount = stem.count
    }

    /// Finds the next word and folds it. Returns its hash, or `nil` at the end of the text.
    private mutating func scan() -> UInt32? {
        if run != nil, let hash = nextWordOfRun() { return hash }
        let (text, count, ascii) = (text, count, TokenCharacters.ascii)
        var at = offset
        while at < count {
            if text[at] < 0x80 {
                if ascii[Int(text[at])] != 0 { break }
                at += 1
            } else {
                let (character, next) = decode(at)
                if character.isLetter { break }
                at = next
            }
        }
        start = at
        tokenCount = 0
        var hash = StopWords.emptyHash
        while at < count {
            let byte = text[at]
            if byte < 0x80 {
                let folded = ascii[Int(byte)]
                if folded == 0 { break }
                if tokenCount == capacity { reserve(tokenCount + 1) }
                token[tokenCount] = folded
                tokenCount += 1
                hash = StopWords.hash(hash, adding: folded)
                at += 1
            } else {
                let (character, next) = decode(at)
                guard character.continuesToken else { break }
                if tokenizer.breaksWords, character.isUnspaced {
                    guard at == start else { break }
                    beginRun()
                    return scan()
                }
                append(character.folded, &hash)
                at = next
            }
        }
        offset = at
        end = at
        return tokenCount > 0 ? hash : nil
    }

    private mutating func append(_ code: UInt32, _ hash: inout UInt32) {
        guard code != 0, let scalar = Unicode.Scalar(code), let encoded = UTF8.encode(scalar) else { return }
        if tokenCount + 4 > capacity { reserve(tokenCount + 4) }
        for byte in encoded {
            token[tokenCount] = byte
            tokenCount += 1
            hash = StopWords.hash(hash, adding: byte)
        }
    }

    private mutating func reserve(_ needed: Int) {
        let larger = max(capacity * 2, needed)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        memory.update(from: token, count: tokenCount)
        token.deallocate()
        token = memory
        capacity = larger
    }

    // MARK: Characters

    private func decode(_ at: Int) -> (TokenCharacters.Entry, next: Int) {
        let (code, next) = code(at)
        let characters = tokenizer.removesDiacritics ? TokenCharacters.withoutDiacritics : TokenCharacters.withDiacritics
        return (characters[code], next)
    }

    /// Decodes a non-ASCII character. Invalid UTF-8 is decoded as replacement characters, which separate tokens.
    private func code(_ at: Int) -> (code: UInt32, next: Int) {
        let replacement: UInt32 = 0xFFFD
        let lead = text[at]
        var next = at + 1
        var code: UInt32 =
            switch lead {
            case 0xC0...0xDF: UInt32(lead & 0x1F)
            case 0xE0...0xEF: UInt32(lead & 0x0F)
            case 0xF0...0xF7: UInt32(lead & 0x07)
            default: 0
            }
        guard lead >= 0xC0 else { return (replacement, next) }
        while next < count, text[next] & 0xC0 == 0x80 {
            code = code << 6 | UInt32(text[next] & 0x3F)
            next += 1
        }
        let isScalar = code >= 0x80 && code <= 0x10FFFF && code & 0xFFFF_F800 != 0xD800
        return (isScalar && code & 0xFFFF_FFFE != 0xFFFE ? code : replacement, next)
    }

    // MARK: Scripts without spaces

    /// Determines the words of the run of characters that starts at ``start``.
    private mutating func beginRun() {
        let address = text + start
        if let unfinished = tokenizer.unfinished, start == 0, unfinished.address == address, unfinished.bytes.count <= count,
            unfinished.bytes.elementsEqual(UnsafeBufferPointer(start: address, count: unfinished.bytes.count))
        {
            run = unfinished
            tokenizer.unfinished = nil
            return
        }
        var last = start
        while last < count, text[last] >= 0x80 {
            let (character, next) = decode(last)
            guard character.isUnspaced else { break }
            last = next
        }
        let bytes = UnsafeBufferPointer(start: address, count: last - start)
        run = FullTextTokenizer.Run(
            address: address,
            bytes: Array(bytes)[...],
            wordEnds: WordBreaker.wordEnds(in: UnsafeRawBufferPointer(bytes))[...]
        )
    }

    /// Advances to the next word of the run that contains a letter. Returns its hash, or `nil` if the run has no more words.
    private mutating func nextWordOfRun() -> UInt32? {
        while var current = run, let wordEnd = current.wordEnds.popFirst() {
            let count = wordEnd - current.bytes.startIndex
            start = current.address - text
            end = start + count
            current.bytes = current.bytes.dropFirst(count)
            current.address += count
            offset = end
            run = current
            tokenCount = 0
            var hash = StopWords.emptyHash
            var hasLetter = false
            var at = start
            while at < end {
                let (character, next) = decode(at)
                if character.isLetter { hasLetter = true }
                append(character.isLetter ? character.folded : code(at).code, &hash)
                at = next
            }
            if hasLetter { return hash }
        }
        run = nil
        return nil
    }
}

/// Finds the words of scripts that are written without spaces, such as Chinese, Japanese and Thai, with the dictionaries of the system's
/// Unicode library.
enum WordBreaker {
    /// Matches word boundaries by the rules of Unicode (UAX 29). Foundation on Linux only offers them through regular expressions.
    private static let boundary: NSRegularExpression? = try? NSRegularExpression(pattern: "\\b", options: .useUnicodeWordBoundaries)

    /// Returns the ends of the words, in bytes from the start of the text. The last one is the end of the text.
    ///
    /// Takes about a microsecond per character.
    static func wordEnds(in utf8: UnsafeRawBufferPointer) -> [Int] {
        let text = String(decoding: utf8, as: UTF8.self)
        // In a text with invalid UTF-8, the offsets would be those of the replacement characters.
        guard let boundary, text.utf8.count == utf8.count else { return [utf8.count] }
        var ends: [Int] = []
        var scalars = text.unicodeScalars.makeIterator()
        var (unit, byte) = (0, 0)
        boundary.enumerateMatches(in: text, range: NSRange(location: 0, length: text.utf16.count)) { match, _, _ in
            guard let match else { return }
            while unit < match.range.location, let scalar = scalars.next() {
                unit += UTF16.width(scalar)
                byte += UTF8.width(scalar)
            }
            if byte > 0, byte < utf8.count { ends.append(byte) }
        }
        ends.append(utf8.count)
        return ends
    }
}
