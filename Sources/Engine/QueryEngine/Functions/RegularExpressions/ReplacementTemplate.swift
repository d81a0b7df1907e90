/// The replacement of matches, with ECMAScript's references: `$1` to `$99` for groups, `$&` and `$0` for the match, `` $` `` and `$'` for
/// the text before and after it, `$$` for a dollar sign. Any other dollar sign is literal text.
struct ReplacementTemplate {
    private enum Segment {
        case text([UInt8])
        case group(Int)
        case before
        case behind
    }

    private var segments: [Segment] = []
    /// The number of groups that the matcher must return, including the whole match.
    private(set) var groups = 1

    init(_ utf8: UnsafeRawBufferPointer, groupCount: Int) {
        var literal: [UInt8] = []
        var index = 0
        while index < utf8.count {
            let byte = utf8[index]
            index += 1
            guard byte == UInt8(ascii: "$"), index < utf8.count else {
                literal.append(byte)
                continue
            }
            let reference: Segment
            switch utf8[index] {
            case UInt8(ascii: "$"):
                literal.append(byte)
                index += 1
                continue
            case UInt8(ascii: "&"): reference = .group(0)
            case UInt8(ascii: "`"): reference = .before
            case UInt8(ascii: "'"): reference = .behind
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                var number = Int(utf8[index] - 0x30)
                // A second digit is part of the reference if such a group exists.
                if index + 1 < utf8.count, (0x30...0x39).contains(utf8[index + 1]),
                    case let both = number * 10 + Int(utf8[index + 1] - 0x30), both <= groupCount
                {
                    number = both
                    index += 1
                }
                reference = .group(number)
                groups = max(groups, min(number, groupCount) + 1)
            default:
                literal.append(byte)
                continue
            }
            index += 1
            segments += [.text(literal), reference]
            literal = []
        }
        segments.append(.text(literal))
    }

    /// The cost of appending the template once, for ``MatchEffort``.
    var size: Int { segments.count }

    /// Appends the replacement of a match.
    ///
    /// - Parameters:
    ///   - match: The positions of the groups, as returned by ``RegularExpression/firstMatch(in:from:groups:effort:)``.
    ///   - limit: The maximum length of the result. A short template can refer to the text before a match thousands of times.
    /// - Returns: `false` if the result would be longer. Then only a part of the replacement has been appended.
    func append(_ match: [Int], of text: UnsafeRawBufferPointer, to result: inout [UInt8], limit: Int) -> Bool {
        func add(_ bytes: some Collection<UInt8>) -> Bool {
            guard bytes.count <= limit - result.count else { return false }
            result += bytes
            return true
        }
        for segment in segments {
            let fits: Bool
            switch segment {
            case .text(let literal): fits = add(literal)
            case .before: fits = add(text[..<match[0]])
            case .behind: fits = add(text[match[1]...])
            case .group(let number):
                // A group that does not exist or did not participate is replaced by nothing.
                guard number * 2 + 1 < match.count, match[number * 2] >= 0 else { continue }
                fits = add(text[match[number * 2]..<match[number * 2 + 1]])
            }
            guard fits else { return false }
        }
        return true
    }
}
