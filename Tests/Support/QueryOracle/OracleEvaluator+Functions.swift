import Foundation
import QueryLanguage

extension OracleEvaluator {
    /// Calls a function by its lower-case name (Query 3.9–3.14).
    func call(_ name: String, _ arguments: [QueryExpression]) throws -> OracleValue {
        if OracleFunctions.aggregates.contains(name) { return try aggregate(name, arguments.first) }
        // These functions depend on the expressions of their arguments.
        if name == "array_count" {
            let collection = try value(arguments[0])
            return try arrayCount(arguments[0], collection).map { .integer(Int64($0)) } ?? .missing
        }
        let values = try arguments.map(value)
        if name == "contains" { return try contains(values[0], values[1]) }
        if name == "array_contains" {
            if case .dictionary = values[0] { return .null }
            if values[0].isNull, values[1].isMissing { return .missing }
            return try containment(of: values[1], in: values[0])
        }
        return try OracleFunctions.value(name, values)
    }

    private func contains(_ text: OracleValue, _ sought: OracleValue) throws -> OracleValue {
        if let result = OracleFunctions.propagated([text, sought]) { return result }
        guard case .string(let text) = text, case .string(let sought) = sought, !sought.isEmpty else { return .boolean(false) }
        var (units, soughtUnits) = (Array(text.unicodeScalars.map(\.value)), Array(sought.unicodeScalars.map(\.value)))
        if collation.isUnicode, (units + soughtUnits).contains(where: { $0 >= 0x80 }) {
            throw Unspecified("folding beyond ASCII")
        }
        if !collation.isCaseSensitive {
            func fold(_ unit: UInt32) -> UInt32 { (0x41...0x5A).contains(unit) ? unit + 0x20 : unit }
            units = units.map(fold)
            soughtUnits = soughtUnits.map(fold)
        }
        return .boolean(units.indices.contains { units[$0...].starts(with: soughtUnits) })
    }

    // MARK: Aggregates

    /// Computes an aggregate function over the group (Query 3.14).
    private func aggregate(_ name: String, _ argument: QueryExpression?) throws -> OracleValue {
        guard let group else { throw Unspecified("an aggregate outside of a group") }
        guard let argument, argument != .property([]) else {
            guard name == "count" else { throw Unspecified("an aggregate of whole documents") }
            return .integer(Int64(group.count))
        }
        var operand = argument
        if case .distinct(let inner) = argument { operand = inner }
        var values = try group.map { row in
            var inner = self
            inner.row = row
            inner.group = nil
            return try inner.value(operand)
        }.filter { !$0.isMissing }
        if case .distinct = argument {
            var different: [OracleValue] = []
            for value in values where try !different.contains(where: { try $0.isSameInRows(value) }) { different.append(value) }
            values = different
        }
        switch name {
        case "count": return .integer(Int64(values.count))
        case "array_agg":
            return .array(values.map { value in if case .boolean(let flag) = value { .integer(flag ? 1 : 0) } else { value } })
        case "min", "max":
            guard var best = values.first else { return .missing }
            for value in values.dropFirst() {
                let order = try OracleValue.compare(value, best)
                if name == "min" ? order < 0 : order > 0 { best = value }
            }
            return best.asComputed
        default:
            let numbers = values.compactMap(\.reading)
            guard !numbers.isEmpty else { return .missing }
            let sum = numbers.reduce(0) { $0 + $1.double }
            let magnitude = numbers.reduce(0) { $0 + abs($1.double) }
            // Neither the order of adding doubles nor the result of an integer overflow is specified.
            guard magnitude < 1e15, magnitude <= abs(sum) * 1000 else { throw Unspecified("the sum of numbers of very different size") }
            if name == "avg" { return .double(sum / Double(numbers.count)) }
            var total: Int64 = 0
            for number in numbers {
                guard case .integer(let integer) = number else { return .double(sum) }
                total += integer
            }
            return .integer(total)
        }
    }
}

/// The functions that depend only on the values of their arguments.
enum OracleFunctions {
    static let aggregates: Set<String> = ["count", "sum", "avg", "min", "max", "array_agg"]

    /// Returns MISSING if an argument is MISSING, otherwise null if one is null, otherwise `nil`: the rule "M/N" of the specification.
    static func propagated(_ values: [OracleValue]) -> OracleValue? {
        if values.contains(where: \.isMissing) { return .missing }
        return values.contains(where: \.isNull) ? .null : nil
    }

    static func value(_ name: String, _ values: [OracleValue]) throws -> OracleValue {
        if let result = try choosing(name, values) { return result }
        if let result = try ofArrays(name, values) { return result }
        if let result = try ofTypes(name.replacingOccurrences(of: "_", with: ""), values[0]) { return result }
        if let result = propagated(values) { return result }
        if let result = try ofText(name, values) { return result }
        if let result = try ofNumbers(name, values) { return result }
        throw Unspecified("the function \(name)")
    }

    // MARK: Choice

    private static func choosing(_ name: String, _ values: [OracleValue]) throws -> OracleValue? {
        switch name {
        case "concat":
            if values.contains(where: \.isMissing) { return .missing }
            return .string(try values.map(concatenated).joined())
        case "ifmissing": return values.first { !$0.isMissing } ?? .missing
        case "ifnull": return values.first { !$0.isNull } ?? .null
        case "ifmissingornull": return values.first { !$0.isMissing && !$0.isNull } ?? .null
        case "greatest", "least":
            if values.contains(where: \.isMissing) { return .missing }
            var best = values[0]
            for value in values.dropFirst() {
                let order = try OracleValue.compare(value, best)
                if order == 0, !value.matches(best, isLoose: false) || value.isUnsigned != best.isUnsigned {
                    throw Unspecified("which of two equal values")
                }
                if name == "least" ? order < 0 : order > 0 { best = value }
            }
            return best.asComputed
        case "missingif", "nullif":
            if let result = propagated(values) { return result }
            let isEqual = try values[0].rank == values[1].rank && OracleValue.areEqual(values[0], values[1])
            return isEqual ? (name == "nullif" ? .null : .missing) : values[0]
        default: return nil
        }
    }

    private static func concatenated(_ value: OracleValue) throws -> String {
        switch value {
        case .string(let text): return text
        default: return value.description
        }
    }

    // MARK: Arrays

    private static func ofArrays(_ name: String, _ values: [OracleValue]) throws -> OracleValue? {
        guard name.hasPrefix("array_") else { return nil }
        if name == "array_of" {
            return .array(values.filter { !$0.isMissing })
        }
        var items: [OracleValue]?
        if case .array(let array) = values[0] { items = array }
        let readings = items.map { items in items.map { $0.number?.double ?? 0 } }
        switch name {
        case "array_avg":
            guard let readings, !readings.isEmpty else { return .double(0) }
            return .double(readings.reduce(0, +) / Double(readings.count))
        case "array_sum": return .double(readings?.reduce(0, +) ?? 0)
        case "array_max", "array_min":
            let extreme = name == "array_max" ? readings?.max() : readings?.min()
            return extreme.map { .double($0) } ?? .null
        case "array_length": return .integer(Int64(items?.count ?? 0))
        case "array_ifnull":
            guard let items else { return .null }
            return items.first { !$0.isNull } ?? .null
        default: return nil
        }
    }

    // MARK: Types

    private static func ofTypes(_ name: String, _ value: OracleValue) throws -> OracleValue? {
        if name == "tonumber" || name == "tostring" {
            return value.isMissing ? .missing : try converted(name, value)
        }
        guard name.hasPrefix("is") || name.hasPrefix("to") || name == "type" || name == "typename" else { return nil }
        if let result = propagated([value]) { return result }
        switch name {
        case "isarray": return .boolean(value.kind == "array")
        case "isatom": return .boolean(value.rank <= 2)
        case "isboolean": return .boolean(value.kind == "boolean")
        case "isnumber": return .boolean(value.kind == "number")
        case "isobject": return .boolean(value.kind == "object")
        case "isstring": return .boolean(value.kind == "string")
        case "type", "typename": return .string(value.kind)
        case "toarray":
            if case .array = value { return value }
            if case .boolean(let flag) = value { return .array([.integer(flag ? 1 : 0)]) }
            // Truncated to 32 bits.
            if case .integer(let number) = value { return .array([.integer(Int64(Int32(truncatingIfNeeded: number)))]) }
            return .array([value])
        case "toatom":
            switch value {
            case .array(let items): return items.count == 1 ? items[0] : .null
            case .dictionary(let entries): return entries.count == 1 ? entries.values.first ?? .null : .null
            default: return value
            }
        case "toboolean":
            switch value {
            case .string(let text): return .boolean(!text.isEmpty)
            case .array(let items): return .boolean(!items.isEmpty)
            case .dictionary(let entries): return .boolean(!entries.isEmpty)
            default: return .boolean(value.truth == true)
            }
        case "toobject":
            if case .dictionary = value { return value }
            return .dictionary([:])
        default: return nil
        }
    }

    private static func converted(_ name: String, _ value: OracleValue) throws -> OracleValue {
        switch value {
        case .null, .array, .dictionary: return .null
        case .string(let text):
            if name == "tostring" { return value }
            let trimmed = text.drop { $0.isASCII && $0.isWhitespace }.reversed().drop { $0.isASCII && $0.isWhitespace }
            let bare = String(trimmed.reversed())
            if let number = Int64(bare) { return .integer(number) }
            if bare.contains(where: { "xXiInN".contains($0) }) { throw Unspecified("numbers that only C knows") }
            return .double(OracleNumber(prefixOf: text).double)
        default: return name == "tostring" ? .string(value.description) : value
        }
    }
}

extension OracleValue {
    /// The name of the type (Query 3.11).
    fileprivate var kind: String {
        switch self {
        case .missing: "missing"
        case .null: "null"
        case .boolean: "boolean"
        case .integer, .unsigned, .double: "number"
        case .string: "string"
        case .array: "array"
        case .dictionary: "object"
        }
    }
}
