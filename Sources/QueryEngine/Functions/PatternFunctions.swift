import Foundation
import SQLiteEngine

/// The regular expressions compiled last on a connection. Patterns are mostly literals, so a few are enough.
struct PatternCache {
    private static let capacity = 8
    private var entries: [(pattern: String, compiled: NSRegularExpression)] = []

    /// The compiled pattern; nil when it is invalid.
    mutating func compiled(_ pattern: String) -> NSRegularExpression? {
        if let known = entries.first(where: { $0.pattern == pattern }) { return known.compiled }
        guard let text = ECMAScriptPattern.translated(pattern),
            let compiled = try? NSRegularExpression(pattern: text)
        else { return nil }
        if entries.count == Self.capacity { entries.removeFirst() }
        entries.append((pattern, compiled))
        return compiled
    }
}

extension FunctionRegistrar {
    /// Regular expressions (Query 3.9). A pattern that is none makes the query fail.
    func addPatternFunctions() throws {
        try add("regexp_contains", "regexp_like", counts: 2...2) { call in
            guard let (text, pattern) = call.textAndPattern() else { return }
            call.context.resultBoolean(pattern.firstMatch(in: text, range: text.fullRange) != nil)
        }
        try add("regexp_position", counts: 2...2) { call in
            guard let (text, pattern) = call.textAndPattern() else { return }
            guard let match = pattern.firstMatch(in: text, range: text.fullRange),
                let start = Range(match.range, in: text)?.lowerBound
            else { return call.context.resultInt64(-1) }
            call.context.resultInt64(Int64(text.utf8.distance(from: text.startIndex, to: start)))
        }
        try add("regexp_replace", counts: 3...4) { call in
            guard let (text, pattern) = call.textAndPattern() else { return }
            guard let replacement = call[2].string else { return call.context.resultJSONNull() }
            let count = call.count == 4 ? call[3].truncated : -1
            guard let count else { return call.context.resultJSONNull() }
            let template = ReplacementTemplate(replacement)
            var matches = pattern.matches(in: text, range: text.fullRange)
            if count >= 0 { matches = Array(matches.prefix(Int(count))) }
            var result = ""
            var position = text.startIndex
            for match in matches {
                guard let range = Range(match.range, in: text) else { continue }
                result += text[position..<range.lowerBound]
                template.append(match, of: text, to: &result)
                position = range.upperBound
            }
            call.context.resultText(result + text[position...])
        }
    }
}

extension FunctionCall {
    /// The first two arguments as text and pattern; nil when the result has been given, because one is no string or invalid.
    fileprivate func textAndPattern() -> (text: String, pattern: NSRegularExpression)? {
        guard !propagatesNull() else { return nil }
        guard let text = self[0].string, let pattern = self[1].string else {
            context.resultJSONNull()
            return nil
        }
        guard let compiled = environment.patterns.compiled(pattern) else {
            context.resultError("invalid regular expression")
            return nil
        }
        return (text, compiled)
    }
}

extension String {
    fileprivate var fullRange: NSRange { NSRange(startIndex..., in: self) }
}

/// The text that replaces matches, with ECMAScript's references `$1`, `$&` and `$$`.
private struct ReplacementTemplate {
    private enum Part {
        case text(String)
        case group(Int)
    }

    private var parts: [Part] = []

    init(_ text: String) {
        var literal = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "$", let next = rest.first else {
                literal.append(character)
                continue
            }
            if next == "$" {
                literal.append(next)
                rest.removeFirst()
            } else if next == "&" {
                parts += [.text(literal), .group(0)]
                literal = ""
                rest.removeFirst()
            } else if next.isASCII, next.isNumber {
                let digits = rest.prefix(2).prefix { $0.isASCII && $0.isNumber }
                parts += [.text(literal), .group(Int(digits) ?? 0)]
                literal = ""
                rest.removeFirst(digits.count)
            } else {
                literal.append(character)
            }
        }
        parts.append(.text(literal))
    }

    func append(_ match: NSTextCheckingResult, of text: String, to result: inout String) {
        for part in parts {
            switch part {
            case .text(let literal): result += literal
            case .group(let number):
                // A group that does not exist or took no part stands for nothing.
                guard number < match.numberOfRanges, let range = Range(match.range(at: number), in: text) else {
                    continue
                }
                result += text[range]
            }
        }
    }
}
