import Foundation
import QueryLanguage

// Arrays, dictionaries and sets of documents, and the characters of strings.

extension PredicateExpressions.SequenceContains: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        if let structures = try translator.structure(sequence)?.elements {
            let element = try translator.translate(element)
            return .operation(.or, structures.map { $0.isEqual(to: element) })
        }
        let structure = try translator.structure(element)
        let sequence = try translator.translate(sequence)
        let element = try translator.translate(element)
        if case .array(let elements) = sequence {
            let found = QueryExpression.operation(.in, [element.asTested, sequence])
            guard RHS.mayBeNil else { return found }
            guard elements.contains(.null) else { return found.isTrue }
            return .operation(.or, [found.isTrue, .not(element.isValued)])
        }
        let name = translator.newName()
        let item = QueryExpression.variable(name, [])
        let test = structure?.isEqual(to: item) ?? .areEqual(item, element, mayBeNil: true)
        return .quantified(.any, variable: name, source: sequence, predicate: test)
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.quantified(.any, sequence, variable.key, test)
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.quantified(.every, sequence, variable.key, test)
    }
}

extension PredicateTranslator {
    fileprivate mutating func quantified<Sequence: PredicateExpression>(
        _ quantifier: Quantifier,
        _ sequence: Sequence,
        _ variable: PredicateExpressions.VariableID,
        _ test: any PredicateExpression
    ) throws(QueryError) -> QueryExpression {
        guard !(Sequence.Output.self is any StoredDictionary.Type), Sequence.Output.self != String.self else {
            throw .unsupportedPredicate("the elements of \(Sequence.Output.self) cannot be tested")
        }
        let source = try translate(sequence)
        let name = newName()
        let predicate = try translate(test, with: variable, as: .variable(name, []))
        return .quantified(quantifier, variable: name, source: source, predicate: predicate)
    }
}

// MARK: - Places

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        guard Wrapped.Output.self is any StoredArray.Type, case .integer(let number) = try translator.translate(index),
            number >= 0, let index = Int(exactly: number)
        else { throw .unsupportedPredicate("an index must be a non-negative constant, and its collection an array") }
        return try translator.translate(wrapped).appending([.index(index)])
    }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.translate(wrapped).appending([try translator.key(key)])
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let value = try translator.translate(wrapped).appending([try translator.key(key)])
        return .function(name: "IFMISSINGORNULL", arguments: [value, try translator.translate(`default`)])
    }
}

extension PredicateTranslator {
    /// Returns a dictionary key as documents store it. Only strings, integers and types that represent themselves as such are stored as keys.
    fileprivate mutating func key<Key: PredicateExpression>(_ key: Key) throws(QueryError) -> PropertyPath.Component {
        if let key = (key as? any ConstantExpression)?.constant as? any CodingKeyRepresentable { return .key(key.codingKey.stringValue) }
        let isKey = Key.Output.self == String.self || Key.Output.self == Int.self
        switch try translate(key) {
        case .string(let name) where isKey: return .key(name)
        case .integer(let number) where isKey: return .key(String(number))
        default: throw .unsupportedPredicate("the key of a dictionary must be a constant: a string, an Int or CodingKeyRepresentable")
        }
    }
}

// MARK: - Least and greatest

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.extreme("ARRAY_MAX", elements, isNumeric: Elements.Output.Element.self is any Numeric.Type)
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        try translator.extreme("ARRAY_MIN", elements, isNumeric: Elements.Output.Element.self is any Numeric.Type)
    }
}

extension PredicateTranslator {
    fileprivate mutating func extreme(
        _ function: String,
        _ elements: any PredicateExpression,
        isNumeric: Bool
    ) throws(QueryError) -> QueryExpression {
        guard isNumeric else { throw .unsupportedPredicate("min() and max() are supported for numbers only") }
        return .function(name: function, arguments: [try translate(elements)])
    }
}

// MARK: - Parts of strings

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let isSearched = (base as? any TextFormExpression)?.form(translator.types) == .searched
        return .contains(try translator.strings(base, other), isSearched ? .localizedSearch : nil)
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
    func translated(by translator: inout PredicateTranslator) throws(QueryError) -> QueryExpression {
        let operands = try translator.strings(base, prefix)
        let pattern: QueryExpression
        if case .string(let prefix) = operands[1] {
            pattern = .string(prefix.escapedForLike + "%")
        } else {
            let arguments = [operands[1], .string(#"[%_\\]"#), .string(#"\$&"#)]
            pattern = .operation(.concatenate, [.function(name: "REGEXP_REPLACE", arguments: arguments), .string("%")])
        }
        return .like(value: operands[0], pattern: pattern, isCaseSensitive: true)
    }
}

extension PredicateTranslator {
    fileprivate mutating func strings<Base: PredicateExpression, Part: PredicateExpression>(
        _ base: Base,
        _ part: Part
    ) throws(QueryError) -> [QueryExpression] {
        guard Base.Output.self == String.self, Part.Output.self == String.self || Part.Output.self == Substring.self
        else { throw .unsupportedPredicate("contains and starts(with:) search only strings for a part, not \(Base.Output.self)") }
        return [try translate(base), try translate(part)]
    }
}

extension QueryExpression {
    /// Returns a test whether a string contains another one, compared as the collation specifies.
    static func contains(_ operands: [QueryExpression], _ collation: CollationOptions?) -> QueryExpression {
        let contains = QueryExpression.function(name: "CONTAINS", arguments: operands)
        let test = collation.map { .collate($0, operand: contains) } ?? contains
        // In Swift every string contains the empty string; in the query language none does.
        guard case .string(let part) = operands[1] else {
            return .operation(.or, [test, .operation(.equal, [operands[1], .string("")])])
        }
        return part.isEmpty ? .boolean(true) : test
    }
}

extension String {
    /// The string as a LIKE pattern that matches only this string.
    fileprivate var escapedForLike: String {
        var escaped = ""
        for scalar in unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { escaped += "\\" }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}
