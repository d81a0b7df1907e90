import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Functions that choose among their arguments (Query 3.10). `ifmissing`, `greatest` and `least` are SQLite's own.
    func addConditionalFunctions() throws {
        try add("N1QL_ifnull", counts: nil) { call in
            let chosen = (0..<call.count).first { !call[$0].isNull }
            call.resultArgument(chosen)
        }
        try add("ifmissingornull", counts: nil) { call in
            let chosen = (0..<call.count).first { !call[$0].isNullOrMissing }
            call.resultArgument(chosen)
        }
        try add("missingif", counts: 2...2) { call in
            guard !call.propagatesNull() else { return }
            call.argumentsAreEqual ? call.context.resultNull() : call.resultArgument(0)
        }
        try add("N1QL_nullif", counts: 2...2) { call in
            guard !call.propagatesNull() else { return }
            call.argumentsAreEqual ? call.context.resultJSONNull() : call.resultArgument(0)
        }
    }
}

extension FunctionCall {
    /// The result is an argument; null when there is no such.
    fileprivate func resultArgument(_ index: Int?) {
        guard let index else { return context.resultJSONNull() }
        context.resultValue(arguments[index], self[index])
    }

    /// Whether the first two arguments are equal: numbers by value, others of the same SQL type by their bytes.
    fileprivate var argumentsAreEqual: Bool {
        let (left, right) = (arguments[0], arguments[1])
        switch (left.type, right.type) {
        case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real):
            return self[0].asNumber.equalsNumber(self[1])
        case (.text, .text): return compareBytes(left.textBytes, right.textBytes) == 0
        case (.blob, .blob): return compareBytes(left.blobBytes, right.blobBytes) == 0
        default: return false
        }
    }
}

extension QueryValue {
    /// A boolean as the number it is in SQL.
    fileprivate var asNumber: QueryValue {
        if case .boolean(let flag) = self { .integer(flag ? 1 : 0) } else { self }
    }
}
