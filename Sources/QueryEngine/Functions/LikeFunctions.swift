import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// LIKE under a collation and, where SQLite's own takes BLOBs for text, the plain one (Query 3.8).
    func addLike() throws {
        try add("fl_like", counts: 2...3) { call in
            let folding = CharacterFolding(collationName: call.count == 3 ? call.arguments[2].text : "BINARY")
            call.resultLike(value: 0, pattern: 1, folding)
        }
        // An override costs SQLite's use of indexes for prefixes, so there is one only where it must be.
        guard try connection.scalar("SELECT sqlite_compileoption_used('LIKE_DOESNT_MATCH_BLOBS')") != 1 else { return }
        try add("like", counts: 2...3) { call in
            // SQL passes the pattern first. The third argument is the escape character, which is a backslash always.
            call.resultLike(value: 1, pattern: 0, CharacterFolding(collationName: "BINARY"))
        }
    }
}

extension FunctionCall {
    fileprivate func resultLike(value: Int, pattern: Int, _ folding: CharacterFolding) {
        let value = arguments[value]
        let pattern = arguments[pattern]
        if value.isNull || pattern.isNull { return context.resultNull() }
        guard value.type != .blob, pattern.type != .blob else { return context.resultBool(false) }
        let matcher = LikeMatcher(pattern: folding.units(of: pattern.textBytes))
        context.resultBool(matcher.matches(folding.units(of: value.textBytes)))
    }
}

/// Matches the pattern language of LIKE against units of text (Query 3.8).
struct LikeMatcher {
    fileprivate enum Element {
        case unit(UInt32)
        case anyUnit
        case anySequence
    }

    private var elements: [Element] = []
    /// A backslash at the end escapes nothing, and such a pattern matches nothing.
    private var isBroken = false

    init(pattern: [UInt32]) {
        var isEscaped = false
        for unit in pattern {
            if isEscaped {
                elements.append(.unit(unit))
                isEscaped = false
            } else if unit == 0x5C {
                isEscaped = true
            } else if unit == 0x25 {
                elements.append(.anySequence)
            } else {
                elements.append(unit == 0x5F ? .anyUnit : .unit(unit))
            }
        }
        isBroken = isEscaped
    }

    /// Whether the whole text matches. Goes back to the last `%` only, so the time is at most text times pattern.
    func matches(_ text: [UInt32]) -> Bool {
        guard !isBroken else { return false }
        var element = 0
        var position = 0
        var retry: (element: Int, position: Int)?
        while true {
            if element < elements.count, case .anySequence = elements[element] {
                element += 1
                retry = (element, position)
                continue
            }
            if element == elements.count, position == text.count { return true }
            if element < elements.count, position < text.count, elements[element].matches(text[position]) {
                element += 1
                position += 1
                continue
            }
            guard let last = retry, last.position < text.count else { return false }
            retry = (last.element, last.position + 1)
            (element, position) = (last.element, last.position + 1)
        }
    }
}

extension LikeMatcher.Element {
    fileprivate func matches(_ unit: UInt32) -> Bool {
        switch self {
        case .unit(let own): own == unit
        case .anyUnit: true
        case .anySequence: false
        }
    }
}
