import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the type tests and conversions (Query 3.11).
    func addTypeFunctions() throws {
        try addTest("isarray", "is_array") { if case .array = $0 { true } else { false } }
        try addTest("isobject", "is_object") { if case .dictionary = $0 { true } else { false } }
        try addTest("isstring", "is_string") { $0.stringBytes != nil }
        try addTest("isnumber", "is_number") { $0.number != nil }
        try addTest("isboolean", "is_boolean") { if case .boolean = $0 { true } else { false } }
        try addTest("isatom", "is_atom") { $0.isAtom }
        // The operator IS VALUED. The result is never MISSING or null, and it is an integer, not a boolean (Query 3.3).
        try add("isvalued", counts: 1...1) { $0.context.resultBool(!$0[0].isNullOrMissing) }
        try add("type", "typename", counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            call.context.resultText(call[0].typeName)
        }
        try add("toarray", "to_array", counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            let value = call[0]
            if case .array = value { return call.context.resultValue(call.arguments[0]) }
            call.context.resultContainer(call.environment) { encoder in
                encoder.beginArray()
                // As in the original, booleans become integers, and integers are truncated to 32 bits (Query 3.11).
                switch value {
                case .boolean(let flag): encoder.write(flag ? 1 as Int64 : 0)
                case .integer(let number): encoder.write(Int64(Int32(truncatingIfNeeded: number)))
                default: encoder.write(value)
                }
                encoder.endArray()
            }
        }
        for name in ["toatom", "to_atom", "fl_tagged_toatom"] {
            try add(name, counts: 1...1) { call in
                guard !call.propagatesNull() else { return }
                let value = call[0]
                guard !value.isAtom else { return call.context.resultValue(call.arguments[0], value) }
                guard let only = value.onlyItem else { return call.context.resultJSONNull() }
                call.resultItem(only, isTagged: name == "fl_tagged_toatom")
            }
        }
        try add("toboolean", "to_boolean", counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            call.context.resultBoolean(call[0].truth ?? false)
        }
        try add("toobject", "to_object", counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            if case .dictionary = call[0] { return call.context.resultValue(call.arguments[0]) }
            call.context.resultContainer(call.environment) { encoder in
                encoder.beginDictionary()
                encoder.endDictionary()
            }
        }
        try addNumberConversion()
        try add("tostring", "to_string", counts: 1...1) { call in
            let value = call[0]
            switch value {
            case .missing: call.context.resultNull()
            case .null, .array, .dictionary, .data: call.context.resultJSONNull()
            case .string(let bytes): call.context.resultText(bytes)
            case .boolean, .integer, .unsigned, .double:
                var text = JSONWriter(capacity: 32)
                text.appendJSON(of: value)
                text.withBytes { call.context.resultText($0) }
            }
        }
    }

    private func addTest(_ name: String, _ alias: String, _ test: @escaping (QueryValue) -> Bool) throws {
        try add(name, alias, counts: 1...1) { call in
            guard !call.propagatesNull() else { return }
            call.context.resultBoolean(test(call[0]))
        }
    }

    private func addNumberConversion() throws {
        try add("tonumber", "to_number", counts: 1...1) { call in
            let value = call[0]
            switch value {
            case .missing: call.context.resultNull()
            case .null, .array, .dictionary, .data: call.context.resultJSONNull()
            case .boolean, .integer, .unsigned, .double: call.context.resultValue(call.arguments[0], value)
            case .string(let bytes):
                switch NumberText(bytes) {
                case .integer(let number): call.context.resultInt64(number)
                case .double(let number): call.context.resultDouble(number)
                case .notANumber: call.context.resultJSONNull()
                }
            }
        }
    }
}

extension QueryValue {
    fileprivate var isAtom: Bool {
        switch self {
        case .boolean, .integer, .unsigned, .double, .string: true
        case .missing, .null, .array, .dictionary, .data: false
        }
    }

    fileprivate var typeName: String {
        switch self {
        case .missing: "missing"
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .unsigned, .double: "number"
        case .string: "string"
        case .array: "array"
        case .dictionary: "object"
        case .data: "binary"
        }
    }

    /// The only item of an array or dictionary; `nil` if it does not have exactly one.
    fileprivate var onlyItem: Value? {
        switch self {
        case .array(let array): return array.count == 1 ? array[0] : nil
        case .dictionary(let dictionary):
            let pairs = dictionary.count == 1 ? dictionary.pairs : []
            return pairs.first?.value
        default: return nil
        }
    }
}
