/// Parses regular expressions: ECMAScript's syntax as in the C++ standard library (Query 3.9). Character classes such as `\w` are those of
/// ASCII.
struct RegularExpressionParser {
    typealias Failure = RegularExpression.Failure

    /// A parsed pattern.
    struct Pattern {
        var root: RegularExpressionNode
        var groupCount: Int
        /// Whether the pattern has look-aheads or back-references, which ``StateSetMatcher`` cannot match.
        var needsBacktracking: Bool
    }

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var groupCount = 0
    private var depth = 0
    private var largestReference = 0
    private var needsBacktracking = false

    /// The maximum nesting depth of groups.
    private static let maximumDepth = 200
    /// The maximum count of a repetition.
    private static let maximumCount = 100_000

    private init(_ utf8: some Sequence<UInt8>) { scalars = Array(String(decoding: Array(utf8), as: UTF8.self).unicodeScalars) }

    static func parse(_ utf8: some Sequence<UInt8>) throws(Failure) -> Pattern {
        var parser = RegularExpressionParser(utf8)
        let root = try parser.alternatives()
        guard parser.position == parser.scalars.count else { throw .invalid("a ) has no matching (") }
        guard parser.largestReference <= parser.groupCount else {
            throw .invalid("\\\(parser.largestReference) refers to a group that does not exist")
        }
        return Pattern(root: root, groupCount: parser.groupCount, needsBacktracking: parser.needsBacktracking)
    }

    private mutating func next() -> Unicode.Scalar? {
        guard position < scalars.count else { return nil }
        defer { position += 1 }
        return scalars[position]
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? { position + distance < scalars.count ? scalars[position + distance] : nil }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    // MARK: Outside character classes

    private mutating func alternatives() throws(Failure) -> RegularExpressionNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw .invalid("its groups are nested too deeply") }
        var found = [try sequence()]
        while skip("|") { found.append(try sequence()) }
        return found.count == 1 ? found[0] : .alternatives(found)
    }

    private mutating func sequence() throws(Failure) -> RegularExpressionNode {
        var parts: [RegularExpressionNode] = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            position += 1
            let (part, isAssertion) = try part(scalar)
            parts.append(isAssertion ? part : try quantified(part))
        }
        return switch parts.count {
        case 0: .empty
        case 1: parts[0]
        default: .sequence(parts)
        }
    }

    /// Parses the part that starts with a character. Returns also whether it is an assertion, which cannot be repeated.
    private mutating func part(_ scalar: Unicode.Scalar) throws(Failure) -> (RegularExpressionNode, isAssertion: Bool) {
        switch scalar {
        case "^": return (.start, true)
        case "$": return (.end, true)
        case ".": return (.set(CodePointSet(CodePointSet.lineEnds, isNegated: true)), false)
        case "[": return (.set(try characterClass()), false)
        case "(": return try group()
        case "\\": return try escape()
        case "*", "+", "?", "{": throw .invalid("there is nothing to repeat before \(scalar)")
        default: return (.character(scalar.value), false)
        }
    }

    private mutating func group() throws(Failure) -> (RegularExpressionNode, isAssertion: Bool) {
        var kind: Unicode.Scalar?
        if skip("?") {
            kind = next()
            guard kind == ":" || kind == "=" || kind == "!" else { throw .invalid("(? is not followed by :, = or !") }
        }
        var number = 0
        if kind == nil {
            groupCount += 1
            number = groupCount
        }
        let body = try alternatives()
        guard skip(")") else { throw .invalid("a ( is not closed") }
        switch kind {
        case nil: return (.group(number, body), false)
        case ":": return (body, false)
        default:
            needsBacktracking = true
            return (.lookAhead(body, isNegated: kind == "!"), true)
        }
    }

    /// Parses the quantifier of a part, if there is one. It cannot be followed by another quantifier.
    private mutating func quantified(_ part: RegularExpressionNode) throws(Failure) -> RegularExpressionNode {
        let bounds: (least: Int, most: Int?)
        switch peek() {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{": bounds = try counts()
        default: return part
        }
        // Skips the sign, or the brace that ends the counts.
        position += 1
        let isGreedy = !skip("?")
        if let scalar = peek(), "*+?{".unicodeScalars.contains(scalar) {
            throw .invalid("there is nothing to repeat before \(scalar)")
        }
        return .repetition(part, atLeast: bounds.least, atMost: bounds.most, isGreedy: isGreedy)
    }

    /// Parses the numbers of `{2}`, `{2,}` or `{2,3}`, up to the closing brace.
    private mutating func counts() throws(Failure) -> (Int, Int?) {
        position += 1
        let hasLeast = peek().map { ("0"..."9").contains($0) } ?? false
        let least = decimal()
        var most: Int? = least
        if skip(",") { most = peek() == "}" ? nil : decimal() }
        guard hasLeast, peek() == "}", least <= most ?? least else {
            throw .invalid("the counts of a repetition must have the form {2}, {2,} or {2,3}")
        }
        guard max(least, most ?? 0) <= Self.maximumCount else { throw .tooLarge }
        return (least, most)
    }

    private mutating func escape() throws(Failure) -> (RegularExpressionNode, isAssertion: Bool) {
        guard let scalar = next() else { throw .invalid("it ends with an incomplete escape sequence") }
        switch scalar {
        case "b": return (.wordBoundary(isNegated: false), true)
        case "B": return (.wordBoundary(isNegated: true), true)
        case "1"..."9":
            position -= 1
            let number = decimal()
            largestReference = max(largestReference, number)
            needsBacktracking = true
            return (.backReference(number), false)
        default:
            if let ranges = Self.classEscape(scalar) { return (.set(CodePointSet(ranges)), false) }
            return (.character(try characterEscape(scalar)), false)
        }
    }

    /// Parses a decimal number. A number above ``maximumCount`` becomes ``maximumCount`` + 1.
    private mutating func decimal() -> Int {
        var number = 0
        while let digit = peek(), ("0"..."9").contains(digit) {
            position += 1
            number = min(number * 10 + Int(digit.value - 0x30), Self.maximumCount + 1)
        }
        return number
    }

    private static func classEscape(_ scalar: Unicode.Scalar) -> [ClosedRange<UInt32>]? {
        switch scalar {
        case "d": CodePointSet.digits
        case "D": CodePointSet.others(than: CodePointSet.digits)
        case "w": CodePointSet.word
        case "W": CodePointSet.others(than: CodePointSet.word)
        case "s": CodePointSet.space
        case "S": CodePointSet.others(than: CodePointSet.space)
        default: nil
        }
    }

    private mutating func characterEscape(_ scalar: Unicode.Scalar) throws(Failure) -> UInt32 {
        switch scalar {
        case "t": return 0x09
        case "n": return 0x0A
        case "v": return 0x0B
        case "f": return 0x0C
        case "r": return 0x0D
        case "0": return 0
        case "x": return try hexadecimal(2)
        case "u": return try hexadecimal(4)
        case "c":
            guard let letter = next(), letter.isASCII, letter.properties.isAlphabetic else {
                throw .invalid("\\c must be followed by a letter")
            }
            return letter.value & 0x1F
        default:
            let isWord = scalar.isASCII && CodePointSet.word.contains { $0.contains(scalar.value) }
            guard !isWord else { throw .invalid("\\\(scalar) is not a valid escape sequence") }
            return scalar.value
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(Failure) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next(), digit.isASCII, let value = Character(digit).hexDigitValue else {
                throw .invalid("\\\(count == 2 ? "x" : "u") must be followed by \(count) hexadecimal digits")
            }
            code = code << 4 | UInt32(value)
        }
        return code
    }

    // MARK: Character classes

    /// Parses the content of brackets. As in ECMAScript, the empty class matches nothing, and its negation matches everything.
    private mutating func characterClass() throws(Failure) -> CodePointSet {
        let isNegated = skip("^")
        var members: [ClosedRange<UInt32>] = []
        while let scalar = next() {
            if scalar == "]" { return CodePointSet(members, isNegated: isNegated) }
            let member = try classMember(scalar)
            guard peek() == "-", let last = peek(1), last != "]", case .one(let first) = member else {
                members += member.ranges
                continue
            }
            position += 2
            guard case .one(let end) = try classMember(last), first <= end else {
                throw .invalid("a range in [] must be two characters in ascending order")
            }
            members.append(first...end)
        }
        throw .invalid("a [ is not closed")
    }

    private enum ClassMember {
        case one(UInt32)
        case many([ClosedRange<UInt32>])

        var ranges: [ClosedRange<UInt32>] {
            switch self {
            case .one(let code): [code...code]
            case .many(let ranges): ranges
            }
        }
    }

    private mutating func classMember(_ scalar: Unicode.Scalar) throws(Failure) -> ClassMember {
        if scalar == "[", peek() == ":" { return .many(try namedClass()) }
        guard scalar == "\\" else { return .one(scalar.value) }
        guard let escaped = next() else { throw .invalid("it ends with an incomplete escape sequence") }
        if escaped == "b" { return .one(0x08) }
        if let ranges = Self.classEscape(escaped) { return .many(ranges) }
        return .one(try characterEscape(escaped))
    }

    private mutating func namedClass() throws(Failure) -> [ClosedRange<UInt32>] {
        position += 1
        var name = ""
        while let scalar = next() {
            if scalar == ":", skip("]") {
                guard let ranges = CodePointSet.named[name] else { throw .invalid("unknown character class [:\(name):]") }
                return ranges
            }
            name.unicodeScalars.append(scalar)
        }
        throw .invalid("a [: is not closed")
    }
}
