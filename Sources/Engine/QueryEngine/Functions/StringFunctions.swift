import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the string functions (Query 3.9), except those with regular expressions.
    func addStringFunctions() throws {
        try add("concat", counts: nil) { call in
            var text = JSONWriter(capacity: 128)
            for index in 0..<call.count {
                let value = call[index]
                if value.isMissing { return call.context.resultNull() }
                text.append(textOf: value)
            }
            text.withBytes { call.context.resultText($0) }
        }
        // The original does not back up after a partial match, and the keys of indexes reproduce that (Query 3.9, 5.13).
        for name in ["contains", "fl_contains_text"] {
            try add(name, counts: 2...3) { call in
                guard !call.propagatesNull(0..<2) else { return }
                let collation = call.count == 3 ? UnicodeCollation(name: call.arguments[2].text) : nil
                let folding = call.count == 3 ? CharacterFolding(collationName: call.arguments[2].text) : nil
                guard let text = call[0].stringBytes, let target = call[1].stringBytes, !target.isEmpty else {
                    return call.context.resultBoolean(false)
                }
                var effort = call.environment.effort
                let isOfIndex = call.isOfIndex(name == "contains")
                func finds(backtracks: Bool) -> Bool {
                    guard let folding, collation != nil || folding.isCaseInsensitive else {
                        return text.contains([UInt8](target), backtracks, effort: &effort)
                    }
                    return folding.units(of: text).contains(folding.units(of: target), backtracks, effort: &effort)
                }
                let isFound = finds(backtracks: !isOfIndex)
                if isOfIndex, !isFound, finds(backtracks: true) { call.environment.noteDifferingKey() }
                guard !call.environment.isInterrupted else { return call.context.resultInterrupted() }
                call.context.resultBoolean(isFound)
            }
        }
        try add("N1QL_length", counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            guard let text = call[0].stringBytes else { return call.context.resultJSONNull() }
            // Every code point has exactly one byte that is not a continuation byte.
            call.context.resultInt64(Int64(text.count { $0 & 0xC0 != 0x80 }))
        }
        for (name, isOfIndex) in [("N1QL_lower", true), ("fl_lower", false)] {
            try addMapping(name, isOfIndex, ascii: { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }) { $0.inLowerCase }
        }
        for (name, isOfIndex) in [("N1QL_upper", true), ("fl_upper", false)] {
            try addMapping(name, isOfIndex, ascii: { $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0 }) { $0.uppercased() }
        }
        try addTrimming("N1QL_trim", start: true, end: true)
        try addTrimming("N1QL_ltrim", start: true, end: false)
        try addTrimming("N1QL_rtrim", start: false, end: true)
    }

    /// Registers a case mapping.
    ///
    /// - Parameter isOfIndex: Whether the key in an index is empty if the mapped text has more bytes than the argument, as in the original
    ///   (Query 5.13).
    private func addMapping(
        _ name: String,
        _ isOfIndex: Bool,
        ascii: @escaping (UInt8) -> UInt8,
        full: @escaping (String) -> String
    ) throws {
        try add(name, counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            guard let text = call[0].stringBytes else { return call.context.resultJSONNull() }
            guard text.allSatisfy({ $0 < 0x80 }) else {
                let mapped = full(String(decoding: text, as: UTF8.self))
                guard call.isOfIndex(isOfIndex), mapped.utf8.count > text.count else { return call.context.resultText(mapped) }
                call.environment.noteDifferingKey()
                return call.context.resultText("")
            }
            withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { buffer in
                for index in 0..<text.count { buffer[index] = ascii(text[index]) }
                call.context.resultText(UnsafeRawBufferPointer(buffer))
            }
        }
    }

    private func addTrimming(_ name: String, start: Bool, end: Bool) throws {
        try add(name, counts: 1...2) { call in
            guard call.count == 1 else { return call.context.resultError("trimming characters other than white space is not supported") }
            let value = call[0]
            guard let bytes = value.stringBytes else { return call.context.resultValue(call.arguments[0], value) }
            var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
            if start { text = text.drop { $0.isTrimmed } }
            if end { while let last = text.last, last.isTrimmed { text.removeLast() } }
            call.context.resultText(String(text))
        }
    }
}

extension FunctionContext {
    /// Sets the result to an argument, including its tag.
    func resultValue(_ argument: SQLValue, _ value: QueryValue) {
        switch value {
        case .null: resultJSONNull()
        case .boolean(let flag): resultBoolean(flag)
        default:
            let subtype = argument.subtype
            resultValue(argument)
            if subtype != 0 { setSubtype(subtype) }
        }
    }
}

extension JSONWriter {
    /// Appends the text of a value as `concat` converts it (Query 3.9).
    fileprivate mutating func append(textOf value: QueryValue) {
        switch value {
        case .string(let bytes), .data(let bytes): append(raw: bytes)
        default: appendJSON(of: value)
        }
    }

    /// Appends a value as JSON with sorted keys; `null` if the value is damaged.
    mutating func appendJSON(of value: QueryValue) {
        switch value {
        case .missing, .null: appendNull()
        case .boolean(let flag): append(flag)
        case .integer(let number): append(number)
        case .unsigned(let number): append(unsigned: number)
        case .double(let number): append(text: number.description)
        case .string(let bytes): appendString(utf8: bytes)
        case .data(let bytes): append(data: bytes)
        case .array, .dictionary:
            var encoder = Encoder()
            encoder.write(value)
            guard let data = try? encoder.finishedData() else { return appendNull() }
            let isWritten: Void? = data.withRoot { root in
                do throws(FleeceError) { try append(root, form: .canonical) } catch { appendNull() }
            }
            if isWritten == nil { appendNull() }
        }
    }

    private mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(raw: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// The text in lower case by Unicode's full mapping: a capital sigma at the end of a word becomes a final sigma.
    fileprivate var inLowerCase: String {
        let sigma: Unicode.Scalar = "\u{3A3}"
        guard unicodeScalars.contains(sigma) else { return lowercased() }
        let scalars = Array(unicodeScalars)
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            if scalar == sigma, scalars[..<index].reversed().beginsWithCasedLetter,
                !scalars[(index + 1)...].beginsWithCasedLetter
            {
                result.unicodeScalars.append("\u{3C2}")
            } else {
                result += scalar.properties.lowercaseMapping
            }
        }
        return result
    }
}

extension Sequence<Unicode.Scalar> {
    /// Whether the first character that is not case-ignorable is a cased letter (Unicode 3.13, Final_Sigma).
    fileprivate var beginsWithCasedLetter: Bool { first { !$0.properties.isCaseIgnorable }?.properties.isCased ?? false }
}

extension RandomAccessCollection where Element: Equatable {
    /// Returns whether the elements of `target` occur in sequence; `false` also if the work was interrupted.
    ///
    /// - Parameter backtracks: Whether the search continues after the first element of a failed partial match. Otherwise it continues after
    ///   the element that did not match, as in the original.
    fileprivate func contains(_ target: [Element], _ backtracks: Bool, effort: inout MatchEffort) -> Bool {
        // A text of combining marks only is empty without them.
        guard !target.isEmpty else { return false }
        guard backtracks else { return containsWithoutBacktracking(target) }
        guard target.count <= count else { return false }
        guard target.count <= 16 else { return SequenceSearch(target).firstIndex(in: self, effort: &effort) != nil }
        // For a short sequence a search without preparation is faster.
        var start = startIndex
        let last = index(startIndex, offsetBy: count - target.count)
        while start <= last {
            if self[start...].starts(with: target) { return true }
            guard effort.spend() else { return false }
            start = index(after: start)
        }
        return false
    }

    private func containsWithoutBacktracking(_ target: [Element]) -> Bool {
        var next = 0
        for element in self {
            next = element == target[next] ? next + 1 : 0
            if next == target.count { return true }
        }
        return false
    }
}

extension Unicode.Scalar {
    /// Whether trimming removes the character (Query 3.9). It does not remove non-breaking spaces.
    fileprivate var isTrimmed: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0x1680, 0x180E, 0x2000...0x2006, 0x2008...0x200A, 0x2028, 0x2029, 0x205F, 0x3000: true
        default: false
        }
    }
}
