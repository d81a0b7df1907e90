import Fleece
import SQLiteEngine

extension FunctionContext {
    /// Sets the result of a directly registered function to a value from a document; to MISSING if it is `nil` (Query 3.1).
    ///
    /// The environment is looked up for containers only, whose keys become strings: retaining it for every row would cost a fifteenth of
    /// the time of a scan.
    @inline(__always)
    func result(_ value: Value?) { result(value, userData(as: FunctionEnvironment.self)) }

    /// Sets the result to a value from a document; to MISSING if it is `nil` (Query 3.1).
    @inline(__always)
    func result(_ value: Value?, _ environment: @autoclosure () -> FunctionEnvironment?) {
        result(value) { value in
            switch value.tag {
            case 5, 6, 7: resultRare(value, environment())
            case 1 where value.isUnsigned && (value.longInteger ?? 0) < 0: resultRare(value, environment())
            default: resultRare(value, nil)
            }
        }
    }

    /// Sets the result to a value from a document, where a number above the range of `Int64` keeps its tag: for result columns, and for
    /// functions that read tags. Operators of SQL would take it for a negative number.
    func resultTagged(_ value: Value?, _ environment: @autoclosure () -> FunctionEnvironment?) {
        guard let value, value.tag == 1, value.isUnsigned, let bits = value.longInteger, bits < 0 else {
            return result(value, environment())
        }
        resultInt64(bits)
        setSubtype(ValueTag.unsigned)
    }

    /// Sets the result to a value that is a small integer or a string, the most frequent ones, and calls `setRare` for any other value; to
    /// MISSING if it is `nil`.
    @inline(__always)
    func result(_ value: Value?, otherwise setRare: (Value) -> Void) {
        guard let value else { return resultNull() }
        switch value.tag {
        case 0: resultInt64(Int64(value.smallInteger))
        case 4:
            guard let bytes = value.stringBytes else { return resultNull() }
            resultText(bytes)
        default: setRare(value)
        }
    }

    @inline(never)
    private func resultRare(_ value: Value, _ environment: FunctionEnvironment?) {
        switch value.tag {
        case 1:
            guard let bits = value.longInteger else { return resultNull() }
            guard bits < 0, value.isUnsigned else { return resultInt64(bits) }
            resultUnsigned(bits, environment)
        case 2: value.floatingPoint.map { resultDouble($0) } ?? resultNull()
        case 3: value.boolean.map { resultBoolean($0) } ?? (value.isUndefined ? resultNull() : resultJSONNull())
        case 5, 6, 7:
            guard let environment else { return resultNull() }
            let keys = environment.sharedKeys
            resultContainer(environment) { $0.writeCopy(of: value, keys: keys) }
        default: resultNull()
        }
    }

    /// Sets the result to a number above the range of `Int64`, given by its bits: in a query to the nearest floating-point number, as a key of
    /// an index to the negative number with the same bits (Query 3.1, 5.13).
    private func resultUnsigned(_ bits: Int64, _ environment: FunctionEnvironment?) {
        if environment?.isAnsweringQuery ?? true { return resultDouble(Double(UInt64(bitPattern: bits))) }
        resultInt64(bits)
        environment?.noteDifferingKey()
    }

    /// Sets the result to JSON null.
    func resultJSONNull() {
        resultEmptyBlob()
        setSubtype(ValueTag.null)
    }

    /// Sets the result to a boolean.
    func resultBoolean(_ flag: Bool) {
        resultBool(flag)
        setSubtype(ValueTag.boolean)
    }

    /// Sets the result to binary data.
    func resultData(_ bytes: UnsafeRawBufferPointer) {
        resultBlob(bytes)
        setSubtype(ValueTag.raw)
    }

    /// Sets the result to a number if it is finite, otherwise to null (Query 3.12).
    func resultFinite(_ number: Double) { number.isFinite ? resultDouble(number) : resultJSONNull() }

    /// Sets the result to the value that `write` encodes; to MISSING if a value cannot be read, as in a damaged body.
    func resultContainer(_ environment: FunctionEnvironment, _ write: (inout Encoder) -> Void) {
        environment.encoder.reset()
        write(&environment.encoder)
        do throws(FleeceError) {
            resultBlob(try environment.encoder.finish())
        } catch {
            resultNull()
        }
    }

    /// Sets the result to a query value, which is an argument or an item of one.
    func result(_ value: QueryValue, _ environment: FunctionEnvironment) {
        switch value {
        case .missing: resultNull()
        case .null: resultJSONNull()
        case .boolean(let flag): resultBoolean(flag)
        case .integer(let number): resultInt64(number)
        case .unsigned(let number): resultUnsigned(Int64(bitPattern: number), environment)
        case .double(let number): resultDouble(number)
        case .string(let bytes): resultText(bytes)
        case .data(let bytes): resultData(bytes)
        case .array, .dictionary: resultContainer(environment) { $0.write(value) }
        }
    }
}

extension FunctionCall {
    /// Sets the result to MISSING if one of the arguments is MISSING, otherwise to null if one is null. Most functions follow this rule
    /// (Query 3.9, "M/N").
    ///
    /// - Returns: Whether the result was set.
    func propagatesNull(_ indexes: Range<Int>) -> Bool {
        var hasNull = false
        for index in indexes {
            let value = self[index]
            if value.isMissing {
                context.resultNull()
                return true
            }
            if value.isNull { hasNull = true }
        }
        if hasNull { context.resultJSONNull() }
        return hasNull
    }

    /// Like ``propagatesNull(_:)``, for all arguments.
    func propagatesNull() -> Bool { propagatesNull(0..<count) }
}
