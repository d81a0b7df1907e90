import Foundation
import SQLiteEngine

/// The SQL functions behind `bm25()`, `snippet()` and `highlight()` (Query 6.11).
extension FunctionRegistrar {
    /// Registers the functions, whose first argument is what FTS4 reports about a row.
    func addSearchFunctions() throws {
        try add("fl_bm25", counts: nil) { call in
            Self.set(call) { call in
                guard call.count > 0, let statistics = MatchStatistics(call.arguments[0].blobBytes) else {
                    return call.context.resultNull()
                }
                call.context.resultDouble(statistics.bm25(try BM25Settings(call)))
            }
        }
        // Offsets; the marks before and after a word; the ellipsis; the number of words; the column and its text, or -1 and all texts.
        try add("fl_snippet", counts: nil) { call in
            Self.set(call) { call in
                guard call.count > 6 else { return call.context.resultNull() }
                let hits = RowMatches.hits(inOffsets: call.arguments[0].textBytes)
                let marks = try SearchMarks("snippet", call, ellipsis: 3)
                let words = try call.wordCount(at: 4)
                let named = Int(clamping: call.arguments[5].int64)
                let column = named >= 0 ? named : hits.bestColumn ?? 0
                let position = named >= 0 ? 6 : 6 &+ column
                guard (6..<call.count).contains(position), call.arguments[position].type == .text else { return call.context.resultNull() }
                let excerpt = MatchExcerpt(of: call.arguments[position].text, hits.filter { $0.column == column }, words: words)
                call.result(excerpt, marks)
            }
        }
        // Offsets; the marks before and after a word; the column; its text.
        try add("fl_highlight", counts: 5...5) { call in
            Self.set(call) { call in
                guard call.arguments[4].type == .text else { return call.context.resultNull() }
                let marks = try SearchMarks("highlight", call, ellipsis: nil)
                let column = Int(clamping: call.arguments[3].int64)
                let hits = RowMatches.hits(inOffsets: call.arguments[0].textBytes).filter { $0.column == column }
                call.result(MatchExcerpt(of: call.arguments[4].text, hits, length: .max), marks)
            }
        }
    }

    private static func set(_ call: FunctionCall, _ body: (FunctionCall) throws -> Void) {
        do {
            try body(call)
        } catch {
            call.context.resultError("\(error)")
        }
    }
}

/// An argument that a function of a search rejects.
private struct InvalidArgument: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension FunctionCall {
    /// Whether an argument is NULL of SQL or of JSON, which stands for the default.
    fileprivate func isDefault(_ index: Int) -> Bool { index >= count || self[index].isMissing || self[index].isNull }

    /// Returns a number argument; `nil` if it is not given.
    fileprivate func number(at index: Int, _ name: String, _ range: ClosedRange<Double>) throws -> Double? {
        if isDefault(index) { return nil }
        let type = arguments[index].type
        let number = arguments[index].double
        guard type == .integer || type == .real, range.contains(number) else {
            let limit = range.upperBound < .greatestFiniteMagnitude ? "from 0 to \(Int(range.upperBound))" : "that is not negative"
            throw InvalidArgument("bm25(): \(name) must be a number \(limit)")
        }
        return number
    }

    /// Returns the maximum number of words of a snippet.
    fileprivate func wordCount(at index: Int) throws -> Int {
        if isDefault(index) { return MatchExcerpt.usualWordCount }
        guard arguments[index].type == .integer, (1...MatchExcerpt.maximumWordCount).contains(Int(clamping: arguments[index].int64)) else {
            throw InvalidArgument("snippet(): the number of words must be an integer from 1 to \(MatchExcerpt.maximumWordCount)")
        }
        return Int(clamping: arguments[index].int64)
    }

    fileprivate func result(_ excerpt: MatchExcerpt, _ marks: SearchMarks) {
        // SQLite's limit of a text.
        guard excerpt.size(withMarks: marks.before.utf8.count + marks.after.utf8.count) < 1_000_000_000 else {
            return context.resultTooBig()
        }
        context.resultText(excerpt.marked(marks.before, marks.after, ellipsis: marks.ellipsis))
    }
}

/// The texts that are added to a snippet.
private struct SearchMarks {
    let before: String
    let after: String
    let ellipsis: String

    /// The maximum size of each text, in bytes.
    private static let maximumSize = 1024

    init(_ function: String, _ call: FunctionCall, ellipsis: Int?) throws {
        func mark(_ index: Int?, _ name: String, _ usual: String) throws -> String {
            guard let index, !call.isDefault(index) else { return usual }
            guard call.arguments[index].type == .text, call.arguments[index].textBytes.count <= Self.maximumSize else {
                throw InvalidArgument("\(function)(): the \(name) must be a text of at most \(Self.maximumSize) bytes")
            }
            return call.arguments[index].text
        }
        before = try mark(1, "mark before a word", "**")
        after = try mark(2, "mark after a word", "**")
        self.ellipsis = try mark(ellipsis, "ellipsis", "…")
    }
}

/// The constants of BM25.
private struct BM25Settings {
    /// How much repetitions of a word count.
    var saturation = 1.2
    /// How much the length of the text counts, from 0 to 1.
    var lengthShare = 0.75
    /// The weights of the first properties; those of the others are 1.
    var weights: [Double] = []

    init(_ call: FunctionCall) throws {
        if let number = try call.number(at: 1, "k1", 0...1000) { saturation = number }
        if let number = try call.number(at: 2, "b", 0...1) { lengthShare = number }
        guard call.count > 3 else { return }
        weights = try (3..<call.count).map { try call.number(at: $0, "a weight", 0...Double.greatestFiniteMagnitude) ?? 1 }
    }
}

/// The result of `matchinfo` in the format `pcnalx`: the number of phrases p and of columns c; the number of rows; for each column the average
/// length of all texts and the length of the row's text, in words; and for each pair of a phrase and a column the number of occurrences in the
/// row, of occurrences in all rows, and of rows with any (https://www.sqlite.org/fts3.html#matchinfo).
private struct MatchStatistics {
    private let numbers: UnsafeRawBufferPointer
    private let phraseCount: Int
    private let columnCount: Int

    /// Returns `nil` if the bytes are not such a result.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 12 else { return nil }
        numbers = bytes
        phraseCount = Int(bytes.loadUnaligned(as: UInt32.self))
        columnCount = Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        let (pairs, pairsOverflow) = phraseCount.multipliedReportingOverflow(by: columnCount)
        guard !pairsOverflow, columnCount <= bytes.count / 8, pairs <= bytes.count / 12, 3 + 2 * columnCount + 3 * pairs <= bytes.count / 4
        else { return nil }
    }

    private subscript(_ index: Int) -> Double { Double(numbers.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)) }

    /// Returns the sum, over all phrases and columns, of how rare the phrase is in the column times its frequency in the row, which approaches a
    /// limit and counts less in a long text.
    func bm25(_ settings: BM25Settings) -> Double {
        let rows = self[2]
        let (k, b) = (settings.saturation, settings.lengthShare)
        var sum = 0.0
        for column in 0..<columnCount {
            let weight = column < settings.weights.count ? settings.weights[column] : 1
            // FTS4 rounds the average to a whole number.
            let length = self[3 + columnCount + column] / max(self[3 + column], 1)
            let norm = k * (1 - b + b * length)
            for phrase in 0..<phraseCount {
                let first = 3 + 2 * columnCount + 3 * (phrase * columnCount + column)
                let frequency = self[first]
                guard frequency > 0 else { continue }
                let rowsWithPhrase = min(self[first + 2], rows)
                let rarity = log(1 + (rows - rowsWithPhrase + 0.5) / (rowsWithPhrase + 0.5))
                sum += weight * rarity * frequency * (k + 1) / (frequency + norm)
            }
        }
        return sum
    }
}
