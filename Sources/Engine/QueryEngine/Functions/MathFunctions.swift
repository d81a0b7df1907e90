import Base
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the mathematical functions (Query 3.12), `div` and `idiv` (Query 3.7).
    func addMathFunctions() throws {
        let functions: [(String, (Double) -> Double)] = [
            ("abs", { abs($0) }), ("acos", acos), ("asin", asin), ("atan", atan), ("ceil", ceil), ("cos", cos),
            ("degrees", { $0 * 180 / .pi }), ("exp", exp), ("floor", floor), ("ln", log), ("log", log10),
            ("radians", { $0 * .pi / 180 }), ("sin", sin), ("sqrt", sqrt), ("tan", tan),
        ]
        for (name, compute) in functions {
            try add(name, counts: 1...1) { call in
                guard !call.propagatesNull() else { return }
                // Booleans intentionally count as numbers in these functions (Query 3.12).
                guard let number = call[0].numberOrBoolean else { return call.context.resultJSONNull() }
                call.context.resultFinite(compute(number))
            }
        }
        try add("e", counts: 0...0) { $0.context.resultDouble(M_E) }
        try add("pi", counts: 0...0) { $0.context.resultDouble(.pi) }
        try addRounding("round", .toNearestOrAwayFromZero)
        try addRounding("round_even", .toNearestOrEven)
        try addRounding("trunc", .towardZero)
        try add("sign", counts: 1...1) { call in
            guard !call.failsInNewIndex("sign"), !call.propagatesNull() else { return }
            guard let number = call[0].numberOrBoolean else { return call.context.resultJSONNull() }
            call.context.resultInt64(number > 0 ? 1 : number < 0 ? -1 : 0)
        }
        try addBinary("power", failsInNewIndex: true) { pow($0, $1) }
        try addBinary("atan2", failsInNewIndex: true) { atan2($0, $1) }
        try addBinary("div", failsInNewIndex: false) { $0 / $1 }
        try add("idiv", counts: 2...2) { call in
            guard !call.propagatesNull() else { return }
            guard let dividend = call[0].truncated, let divisor = call[1].truncated, divisor != 0 else {
                return call.context.resultJSONNull()
            }
            let (quotient, overflow) = dividend.dividedReportingOverflow(by: divisor)
            overflow ? call.context.resultDouble(-Double(dividend)) : call.context.resultInt64(quotient)
        }
    }

    private func addBinary(_ name: String, failsInNewIndex: Bool, _ compute: @escaping (Double, Double) -> Double) throws {
        try add(name, counts: 2...2) { call in
            if failsInNewIndex, call.failsInNewIndex(name) { return }
            guard !call.propagatesNull() else { return }
            guard let left = call[0].numberOrBoolean, let right = call[1].numberOrBoolean else { return call.context.resultJSONNull() }
            call.context.resultFinite(compute(left, right))
        }
    }

    private func addRounding(_ name: String, _ rule: FloatingPointRoundingRule) throws {
        try add(name, counts: 1...2) { call in
            guard !call.propagatesNull(), !call.failsInNewIndex(name) else { return }
            guard let number = call[0].numberOrBoolean, let places = call.count == 2 ? call[1].truncated : 0 else {
                return call.context.resultJSONNull()
            }
            // With more than 308 places a double has no digits left to round; with less than −308 it rounds to 0.
            guard places <= 308 else { return call.context.resultFinite(number) }
            guard places >= -308 else { return call.context.resultDouble(0) }
            let factor = pow(10, Double(places.magnitude))
            let scaled = places >= 0 ? number * factor : number / factor
            guard scaled.isFinite else { return call.context.resultFinite(number) }
            let rounded = scaled.rounded(rule)
            call.context.resultFinite(places >= 0 ? rounded / factor : rounded * factor)
        }
    }
}

extension FunctionCall {
    /// Makes the statement fail if an index is being created and an argument is not a number. Couchbase Lite could not write a document with
    /// such an argument while the index exists (Query 5.13).
    ///
    /// - Returns: Whether the statement fails.
    fileprivate func failsInNewIndex(_ name: String) -> Bool {
        guard environment.isCreatingIndex, (0..<count).contains(where: { self[$0].numberOrBoolean == nil }) else { return false }
        context.resultError("an index cannot contain \(name)() while a document has a value for it that is not a number")
        return true
    }
}
