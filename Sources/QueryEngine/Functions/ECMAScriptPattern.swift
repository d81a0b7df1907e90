/// Translates regular expressions from the language's syntax, ECMAScript's as the C++ library has it (Query 3.9), to the syntax of
/// Foundation's: classes of characters are those of ASCII there, `$` is the very end, and what only Foundation knows is invalid.
struct ECMAScriptPattern {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var result = ""

    private static let word = "[A-Za-z0-9_]"

    private init(_ pattern: String) {
        scalars = Array(pattern.unicodeScalars)
    }

    /// The pattern in Foundation's syntax; nil when it is none in ECMAScript's. Foundation checks the rest.
    static func translated(_ pattern: String) -> String? {
        var translator = ECMAScriptPattern(pattern)
        // Foundation refuses the empty pattern, which matches everywhere.
        guard !pattern.isEmpty else { return "(?:)" }
        while let scalar = translator.next() {
            guard translator.translate(scalar) else { return nil }
        }
        return translator.result
    }

    private mutating func next() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    // MARK: Outside of classes

    private mutating func translate(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\\": return escape()
        case "[": return characterClass()
        case ".": result += "[^\\n\\r\\u2028\\u2029]"
        case "$": result += "\\z"
        case "(":
            result += "("
            if peek() == "?" { return groupKind() }
        case "*", "+", "?":
            result.unicodeScalars.append(scalar)
            return quantifierEnds()
        case "{":
            result += "{"
            while let digit = next() {
                result.unicodeScalars.append(digit)
                if digit == "}" { return quantifierEnds() }
                guard digit == "," || ("0"..."9").contains(digit) else { return false }
            }
            return false
        case "]", "}", "#", "&", "-", "~": appendLiteral(scalar)
        default: result.unicodeScalars.append(scalar)
        }
        return true
    }

    /// Only these three kinds of groups exist.
    private mutating func groupKind() -> Bool {
        guard let kind = peek(1), kind == ":" || kind == "=" || kind == "!" else { return false }
        position += 2
        result += "?"
        result.unicodeScalars.append(kind)
        return true
    }

    /// A quantifier may be made lazy; nothing else may be quantified once more.
    private mutating func quantifierEnds() -> Bool {
        if peek() == "?" {
            position += 1
            result += "?"
        }
        return peek() != "+" && peek() != "*" && peek() != "?" && peek() != "{"
    }

    private mutating func escape() -> Bool {
        guard let scalar = next() else { return false }
        switch scalar {
        case "b": result += "(?:(?<=\(Self.word))(?!\(Self.word))|(?<!\(Self.word))(?=\(Self.word)))"
        case "B": result += "(?:(?<=\(Self.word))(?=\(Self.word))|(?<!\(Self.word))(?!\(Self.word)))"
        case "1"..."9":
            result += "\\"
            result.unicodeScalars.append(scalar)
        default:
            guard let text = classEscape(scalar) ?? characterEscape(scalar) else { return false }
            result += text
        }
        return true
    }

    private func classEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "d": "[0-9]"
        case "D": "[^0-9]"
        case "w": Self.word
        case "W": "[^A-Za-z0-9_]"
        case "s": "[\\t\\n\\x0B\\f\\r ]"
        case "S": "[^\\t\\n\\x0B\\f\\r ]"
        default: nil
        }
    }

    /// The escape of one character, in Foundation's syntax; nil for what is none.
    private mutating func characterEscape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "t", "n", "f", "r": return "\\\(scalar)"
        case "v": return "\\x0B"
        case "0": return "\\x00"
        case "x": return digits(2).map { "\\x\($0)" }
        case "u": return digits(4).map { "\\u\($0)" }
        case "c":
            guard let letter = next(), letter.isASCII, letter.properties.isAlphabetic else { return nil }
            let code = String(letter.value & 0x1F, radix: 16)
            return "\\x" + (code.count == 1 ? "0" : "") + code
        default:
            let isWord = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
            return isWord && scalar.isASCII ? nil : literal(scalar)
        }
    }

    private mutating func digits(_ count: Int) -> String? {
        var text = ""
        for _ in 0..<count {
            guard let digit = next(), digit.properties.isASCIIHexDigit else { return nil }
            text.unicodeScalars.append(digit)
        }
        return text
    }

    private func literal(_ scalar: Unicode.Scalar) -> String {
        let isWord = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
        return scalar.isASCII && !isWord && scalar.value > 0x20 && scalar.value != 0x7F ? "\\\(scalar)" : "\(scalar)"
    }

    private mutating func appendLiteral(_ scalar: Unicode.Scalar) {
        result += literal(scalar)
    }

    // MARK: Classes

    /// What stands between brackets. Foundation has operations of sets there, which have to be kept apart from characters.
    private mutating func characterClass() -> Bool {
        let isNegated = peek() == "^"
        if isNegated { position += 1 }
        var members = ""
        while let scalar = next() {
            if scalar == "]" {
                // ECMAScript's empty class matches nothing, and its negation everything.
                if members.isEmpty {
                    result += isNegated ? "[\\x00-\\U0010FFFF]" : "(?!)"
                } else {
                    result += "[\(isNegated ? "^" : "")\(members)]"
                }
                return true
            }
            guard let member = classMember(scalar) else { return false }
            members += member
            if peek() == "-", let last = peek(1), last != "]", member.first != "[" {
                position += 2
                guard let end = classMember(last), end.first != "[" else { return false }
                members += "-" + end
            }
        }
        return false
    }

    private mutating func classMember(_ scalar: Unicode.Scalar) -> String? {
        if scalar == "[", peek() == ":" { return namedClass() }
        guard scalar == "\\" else { return literal(scalar) }
        guard let escaped = next() else { return nil }
        return escaped == "b" ? "\\x08" : classEscape(escaped) ?? characterEscape(escaped)
    }

    /// `[:alpha:]` and its kind, which the C++ library knows.
    private mutating func namedClass() -> String? {
        position += 1
        var name = ""
        while let scalar = next() {
            if scalar == ":", peek() == "]" {
                position += 1
                return Self.namedClasses[name]
            }
            name.unicodeScalars.append(scalar)
        }
        return nil
    }

    private static let namedClasses = [
        "alpha": "[A-Za-z]", "digit": "[0-9]", "d": "[0-9]", "alnum": "[A-Za-z0-9]", "w": word, "upper": "[A-Z]",
        "lower": "[a-z]", "space": "[\\t\\n\\x0B\\f\\r ]", "s": "[\\t\\n\\x0B\\f\\r ]", "blank": "[\\t ]",
        "punct": "[!-/\\:-@\\[-`\\{-~]", "xdigit": "[0-9A-Fa-f]", "cntrl": "[\\x00-\\x1F\\x7F]",
        "print": "[\\x20-\\x7E]",
        "graph": "[\\x21-\\x7E]",
    ]
}
