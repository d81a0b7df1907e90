import Fleece
import SQLiteEngine

extension FunctionRegistrar {
    /// Registers the functions that select one of their arguments (Query 3.10). `ifmissing`, `greatest` and `least` are SQLite's own
    /// functions.
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
    /// Sets the result to the argument at `index`; to null if `index` is `nil`.
    fileprivate func resultArgument(_ index: Int?) {
        guard let index else { return context.resultJSONNull() }
        context.resultValue(arguments[index], self[index])
    }

    /// Whether the first two arguments are equal: numbers by value, others if their SQL type and bytes are the same.
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
    /// The value, with a boolean converted to 1 or 0.
    fileprivate var asNumber: QueryValue {
        if case .boolean(let flag) = self { .integer(flag ? 1 : 0) } else { self }
    }
}
