import Foundation

extension OracleFunctions {
    /// Calls a text function (Query 3.9). None of the values is MISSING or null.
    static func ofText(_ name: String, _ values: [OracleValue]) throws -> OracleValue? {
        switch name {
        case "length", "lower", "upper":
            guard case .string(let text) = values[0] else { return .null }
            if name == "length" { return .integer(Int64(text.unicodeScalars.count)) }
            return .string(name == "lower" ? text.lowercased() : text.uppercased())
        case "trim", "ltrim", "rtrim":
            guard case .string(let text) = values[0] else { return values[0] }
            var scalars = Array(text.unicodeScalars)
            if name != "rtrim" { while let first = scalars.first, isSpace(first) { scalars.removeFirst() } }
            if name != "ltrim" { while let last = scalars.last, isSpace(last) { scalars.removeLast() } }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            return .string(String(view))
        case "regexp_like", "regexp_contains", "regexp_position":
            guard case .string(let text) = values[0], case .string(let pattern) = values[1] else { return .null }
            let match = try firstMatch(pattern, text)
            if name != "regexp_position" { return .boolean(match != nil) }
            return .integer(match.map { Int64($0) } ?? -1)
        default: return nil
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        [0x20, 0x1680, 0x180E, 0x2028, 0x2029, 0x205F, 0x3000].contains(scalar.value)
            || (0x09...0x0D).contains(scalar.value)
            || (0x2000...0x200A).contains(scalar.value) && scalar.value != 0x2007
    }

    /// Returns the offset in bytes of the first match of a simple pattern, as generated; `nil` if it does not match.
    private static func firstMatch(_ pattern: String, _ text: String) throws -> Int? {
        let source = pattern.isEmpty ? "(?:)" : pattern
        guard let expression = try? NSRegularExpression(pattern: source),
            let match = expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text))
        else { return nil }
        let prefix = (text as NSString).substring(to: match.range.location)
        return prefix.utf8.count
    }

    /// Calls a numeric function (Query 3.12) or a division function (Query 3.7). None of the values is MISSING or null.
    static func ofNumbers(_ name: String, _ values: [OracleValue]) throws -> OracleValue? {
        let functions: [String: (Double) -> Double] = [
            "abs": { abs($0) }, "ceil": ceil, "floor": floor, "sqrt": sqrt, "exp": exp, "ln": log, "log": log10,
            "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos, "atan": atan,
            "degrees": { $0 * 180 / .pi }, "radians": { $0 * .pi / 180 },
        ]
        if let function = functions[name] {
            guard let number = values[0].number?.double else { return .null }
            return finite(function(number))
        }
        let numbers = values.map { value -> OracleNumber? in
            if case .boolean(let flag) = value { .integer(flag ? 1 : 0) } else { value.number }
        }
        switch name {
        case "div", "idiv":
            guard let left = numbers[0], let right = numbers[1] else { return .null }
            if name == "div" { return right.double == 0 ? .null : finite(left.double / right.double) }
            let (dividend, divisor) = (left.truncated, right.truncated)
            if divisor == 0 { return .null }
            guard divisor != -1 || dividend != .min else { throw Unspecified("a quotient that does not fit") }
            return .integer(dividend / divisor)
        case "power", "atan2":
            guard let left = numbers[0]?.double, let right = numbers[1]?.double else { throw Unspecified("\(name) of what is no number") }
            return finite(name == "power" ? pow(left, right) : atan2(left, right))
        case "sign":
            guard let number = numbers[0]?.double else { throw Unspecified("the sign of what is no number") }
            return .integer(number > 0 ? 1 : number < 0 ? -1 : 0)
        case "round", "round_even", "trunc":
            guard let number = numbers[0]?.double, values.count == 1, abs(number) < 1e15 else {
                throw Unspecified("rounding of what is no number")
            }
            let rule: FloatingPointRoundingRule =
                name == "round" ? .toNearestOrAwayFromZero : name == "trunc" ? .towardZero : .toNearestOrEven
            return .double(number.rounded(rule))
        default: return nil
        }
    }

    private static func finite(_ number: Double) -> OracleValue {
        number.isFinite ? .double(number) : .null
    }
}
