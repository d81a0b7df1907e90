import Fleece
import SQLiteEngine

/// Constants encoded as Fleece.
private enum FleeceLiteral {
    static let null: StaticString = "\u{30}\u{00}"
    static let isTrue: StaticString = "\u{38}\u{00}"
    static let isFalse: StaticString = "\u{34}\u{00}"

    static func bytes(_ literal: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }
}

extension FunctionRegistrar {
    /// Registers the literals, and the conversion to result rows: values without an SQL type of their own become Fleece (Query 5.6).
    func addResultFunctions() throws {
        try addDirectly("fl_null", 0...0) { context, _, _ in FunctionContext(context).resultJSONNull() }
        try addDirectly("fl_bool", 1...1) { context, count, values in
            FunctionContext(context).resultBoolean(FunctionArguments(count, values)[0].int64 != 0)
        }
        try addDirectly("fl_result", 1...1) { context, count, values in
            let context = FunctionContext(context)
            let value = FunctionArguments(count, values)[0]
            switch value.type {
            case .null, .real, .text: context.resultValue(value)
            case .integer:
                switch value.subtype {
                case ValueTag.boolean: context.resultFleece(value.int64 != 0)
                case ValueTag.unsigned:
                    guard let environment = context.userData(as: FunctionEnvironment.self) else { return }
                    let bits = UInt64(bitPattern: value.int64)
                    context.resultContainer(environment) { $0.write(unsigned: bits) }
                default: context.resultInt64(value.int64)
                }
            case .blob:
                let bytes = value.blobBytes
                if value.subtype == ValueTag.raw {
                    guard let environment = context.userData(as: FunctionEnvironment.self) else { return }
                    context.resultContainer(environment) { $0.write(data: bytes) }
                } else if bytes.isEmpty {
                    context.resultBlob(FleeceLiteral.bytes(FleeceLiteral.null))
                } else {
                    context.resultValue(value)
                }
            }
        }
        // The inverse: reads a column of a nested query.
        try addDirectly("fl_column", 1...1) { context, count, values in
            let context = FunctionContext(context)
            context.resultColumn(FunctionArguments(count, values)[0]) { context.result($0) }
        }
        try addDirectly("fl_tagged_column", 1...1) { context, count, values in
            let context = FunctionContext(context)
            context.resultColumn(FunctionArguments(count, values)[0]) {
                context.resultTagged($0, context.userData(as: FunctionEnvironment.self))
            }
        }
        try addRowCount()
        // Reads and converts a property of a document in one call.
        try addDirectly("fl_result", 2...2) { context, count, values in
            let context = FunctionContext(context)
            let arguments = FunctionArguments(count, values)
            withValue(in: bodyRoot(arguments[0]), atPathIn: 1, arguments, context) { context.resultColumn($0) }
        }
        try addDirectly("fl_boolean_result", 1...1) { context, count, values in
            let context = FunctionContext(context)
            switch QueryValue(FunctionArguments(count, values)[0]) {
            case .missing: context.resultNull()
            case .null: context.resultBlob(FleeceLiteral.bytes(FleeceLiteral.null))
            case let value: context.resultFleece(value.truth ?? false)
            }
        }
    }
}

extension FunctionRegistrar {
    /// Registers `fl_row_count(n, 'LIMIT')`, which returns the number in LIMIT or OFFSET and fails if it is not an integer. SQLite would
    /// only report a datatype mismatch.
    private func addRowCount() throws {
        try add("fl_row_count", counts: 2...2) { call in
            let value = call.arguments[0]
            switch call[0] {
            case .integer(let number): return call.context.resultInt64(number)
            case .boolean(let flag): return call.context.resultInt64(flag ? 1 : 0)
            case .unsigned: return call.context.resultInt64(.max)
            case .double(let number):
                if let exact = Int64(exactly: number) { return call.context.resultInt64(exact) }
            case .string:
                if value.isNumeric, let exact = Int64(exactly: value.double) { return call.context.resultInt64(exact) }
            case .missing, .null, .array, .dictionary, .data: break
            }
            call.context.resultError("\(call.arguments[1].text) must be an integer, but is \(call[0].kindInWords)")
        }
    }
}

extension QueryValue {
    /// What the value is, for the message of an error where an integer is required.
    var kindInWords: String {
        switch self {
        case .missing: "missing"
        case .null: "null"
        case .boolean: "a boolean"
        case .integer, .unsigned: "a number that is too large"
        case .double: "a fractional or too large number"
        case .string: "a string"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .data: "binary data"
        }
    }
}

extension FunctionContext {
    /// Sets the result to a value from a document, converted for result rows; to MISSING if it is `nil`.
    @inline(__always)
    fileprivate func resultColumn(_ value: Value?) { result(value) { resultRareColumn($0) } }

    /// Sets the result to a value in the form of result rows. Calls `setScalar` for one that is encoded because SQL has no such type.
    @inline(__always)
    fileprivate func resultColumn(_ value: SQLValue, _ setScalar: (Value) -> Void) {
        guard value.type == .blob, let root = Value(root: value.blobBytes), root.array == nil, root.dictionary == nil
        else { return resultValue(value) }
        setScalar(root)
    }

    @inline(never)
    private func resultRareColumn(_ value: Value) {
        switch value.tag {
        case 3:
            guard let flag = value.boolean else { return resultBlob(FleeceLiteral.bytes(FleeceLiteral.null)) }
            resultFleece(flag)
        case 1 where value.isUnsigned && (value.longInteger ?? 0) < 0:
            guard let bits = value.longInteger, let environment = userData(as: FunctionEnvironment.self) else { return }
            resultContainer(environment) { $0.write(unsigned: UInt64(bitPattern: bits)) }
        default: result(value)
        }
    }

    fileprivate func resultFleece(_ flag: Bool) { resultBlob(FleeceLiteral.bytes(flag ? FleeceLiteral.isTrue : FleeceLiteral.isFalse)) }
}
