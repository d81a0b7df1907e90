import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Query 3.9, without regular expressions.
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
        try add("contains", counts: 2...3) { call in
            guard !call.propagatesNull(0..<2) else { return }
            let collation = call.count == 3 ? UnicodeCollation(name: call.arguments[2].text) : nil
            let folding = call.count == 3 ? CharacterFolding(collationName: call.arguments[2].text) : nil
            guard let text = call[0].stringBytes, let sought = call[1].stringBytes, !sought.isEmpty else {
                return call.context.resultBoolean(false)
            }
            if let folding, collation != nil || folding.isCaseInsensitive {
                call.context.resultBoolean(folding.units(of: text).containsSequence(folding.units(of: sought)))
            } else {
                call.context.resultBoolean(text.containsSequence(sought))
            }
        }
        try add("N1QL_length", counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            guard let text = call[0].stringBytes else { return call.context.resultJSONNull() }
            // Every character has one byte that does not continue another.
            call.context.resultInt64(Int64(text.count { $0 & 0xC0 != 0x80 }))
        }
        try addMapping("N1QL_lower", ascii: { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }) { $0.lowercased() }
        try addMapping("N1QL_upper", ascii: { $0 >= 0x61 && $0 <= 0x7A ? $0 & 0xDF : $0 }) { $0.uppercased() }
        try addTrimming("N1QL_trim", start: true, end: true)
        try addTrimming("N1QL_ltrim", start: true, end: false)
        try addTrimming("N1QL_rtrim", start: false, end: true)
    }

    private func addMapping(
        _ name: String,
        ascii: @escaping (UInt8) -> UInt8,
        full: @escaping (String) -> String
    ) throws {
        try add(name, counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            guard let text = call[0].stringBytes else { return call.context.resultJSONNull() }
            guard text.allSatisfy({ $0 < 0x80 }) else {
                return call.context.resultText(full(String(decoding: text, as: UTF8.self)))
            }
            withUnsafeTemporaryAllocation(byteCount: text.count, alignment: 1) { buffer in
                for index in 0..<text.count { buffer[index] = ascii(text[index]) }
                call.context.resultText(UnsafeRawBufferPointer(buffer))
            }
        }
    }

    private func addTrimming(_ name: String, start: Bool, end: Bool) throws {
        try add(name, counts: 1...2) { call in
            guard call.count == 1 else {
                return call.context.resultError("trimming other characters than white space is not supported")
            }
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
    /// The result is an argument as it was, its tag included.
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
    /// Appends the text of a value in a concatenation (Query 3.9).
    fileprivate mutating func append(textOf value: QueryValue) {
        switch value {
        case .string(let bytes), .data(let bytes): append(raw: bytes)
        default: appendJSON(of: value)
        }
    }

    /// Appends a value as JSON, keys in order; `null` for a damaged one.
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
            encoder.writeCanonical(value)
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

extension RandomAccessCollection where Element: Equatable {
    /// Whether the elements of `sought`, which has some, occur one after another.
    func containsSequence(_ sought: some RandomAccessCollection<Element>) -> Bool {
        guard let first = sought.first else { return false }
        var start = startIndex
        let last = count - sought.count
        guard last >= 0 else { return false }
        let end = index(startIndex, offsetBy: last)
        while start <= end {
            if self[start] == first, self[start...].starts(with: sought) { return true }
            start = index(after: start)
        }
        return false
    }
}

extension Unicode.Scalar {
    /// The white space that trimming takes off (Query 3.9); the non-breaking spaces are not among it.
    fileprivate var isTrimmed: Bool {
        switch value {
        case 0x09...0x0D, 0x20, 0x1680, 0x180E, 0x2000...0x2006, 0x2008...0x200A, 0x2028, 0x2029, 0x205F, 0x3000: true
        default: false
        }
    }
}
