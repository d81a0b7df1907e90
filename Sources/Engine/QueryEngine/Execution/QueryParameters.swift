import Base
package import Fleece
import QueryLanguage
import SQLiteEngine

/// The values of a query's parameters, each encoded as Fleece without shared keys.
package struct QueryParameters: Sendable {
    private struct Entry {
        let name: String
        var data: FleeceData
    }
    /// In the order of the names. An array, because most queries have a few parameters, and a dictionary takes longer to make than to search.
    private var entries: [Entry] = []

    package init() {}

    /// The value of the parameter `$name`; `nil` if it is not set.
    ///
    /// - Complexity: O(log *n*), where *n* is the number of parameters. Setting one takes O(*n*), unless it is the last one in order.
    package subscript(name: String) -> FleeceData? {
        get {
            let place = self.place(of: name)
            return place.isSet ? entries[place.index].data : nil
        }
        set {
            let (place, isSet) = place(of: name)
            switch (newValue, isSet) {
            case (let data?, true): entries[place].data = data
            case (let data?, false) where place == entries.count: entries.append(Entry(name: name, data: data))
            case (let data?, false): entries.insert(Entry(name: name, data: data), at: place)
            case (nil, true): entries.remove(at: place)
            case (nil, false): break
            }
        }
    }

    private func place(of name: String) -> (index: Int, isSet: Bool) { Self.place(of: name, in: entries.count) { entries[$0].name } }

    /// Returns the position of the first of several sorted names that is not before `name`, and whether it is equal.
    package static func place(of name: String, in count: Int, _ nameAt: (Int) -> String) -> (index: Int, isSet: Bool) {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if nameAt(middle).isOrderedBefore(name) { low = middle + 1 } else { high = middle }
        }
        return (low, low < count && nameAt(low).isExactly(name))
    }

    /// The names of the parameters that are set, sorted.
    package var names: [String] { entries.map(\.name) }

    /// Returns whether the value of a parameter is a pattern for which the LIKE of the compiled query is slow.
    func hasSlowPattern(in query: CompiledQuery) -> Bool {
        query.patternParameters.contains { name in
            self[name]?.withRoot { value in
                value.stringBytes.map { !SQLText.isFastPattern($0) } ?? false
            } ?? false
        }
    }

    /// Binds the parameters to a statement, where the parameter `$x` is named `$_x` (Query 5.7). Parameters without a value are bound to
    /// NULL.
    ///
    /// - Throws: ``QueryError`` of the kind `invalidQueryParameter` if the query has no parameter of a given name.
    func bind(to statement: Statement, of query: CompiledQuery) throws {
        var boundCount = 0
        for (name, index) in statement.namedParameters {
            if let data = self[name] {
                boundCount += 1
                try data.withRoot { root in try bind(root, at: index, to: statement) }
            } else {
                try statement.bindNull(at: index)
            }
        }
        // The statement may lack a parameter of the query whose value has no effect.
        guard boundCount < entries.count else { return }
        for entry in entries where !query.parameterNames.containsExactly(entry.name) {
            throw QueryError(.invalidQueryParameter, "Unknown query property '\(entry.name)'")
        }
    }

    private func bind(_ value: Value?, at index: Int, to statement: Statement) throws {
        guard let value else { return try statement.bindNull(at: index) }
        switch value.type {
        case .null, .undefined:
            try statement.bindNull(at: index)
        case .boolean:
            // Bound as a double, which compares equal to a boolean property.
            try statement.bind(value.boolean == true ? 1.0 : 0.0, at: index)
        case .number:
            if let integer = value.integerBits, !value.isUnsigned || integer >= 0 {
                try statement.bind(integer, at: index)
            } else {
                try statement.bind(value.double ?? 0, at: index)
            }
        case .string:
            try statement.bindText(value.stringBytes ?? UnsafeRawBufferPointer(start: nil, count: 0), at: index)
        case .data, .array, .dictionary:
            // Encoded in the same way as containers from documents, so that equal containers compare equal if their numbers have the same
            // form (Storage format 5.7).
            var encoder = Encoder()
            encoder.writeCopy(of: value, keys: .empty)
            try statement.bindBlob(try encoder.finish(), at: index)
        }
    }
}
