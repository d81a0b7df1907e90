/// The value of a field, as it is written into a document.
enum FieldValue {
    case text(String)
    /// A number, a boolean or other JSON text, which is valid.
    case json(String)
}

/// How the texts of a column of comma-separated values become values.
enum ColumnType: String, CaseIterable {
    /// Numbers or booleans if all fields of the column are such (``ColumnTypeScan``), otherwise texts. An empty field without quotes is no
    /// value.
    case auto
    case text
    case int
    case number
    case bool
    /// Any JSON value.
    case json
    /// The column is not imported.
    case skip

    private static let booleans = ["true": true, "false": false, "yes": true, "no": false, "1": true, "0": false]

    /// Returns the value of a field; `nil` if it has none.
    ///
    /// - Throws: ``ImportProblem`` if the text is not of this type.
    func value(of field: CSVField) throws -> FieldValue? {
        let text = field.text
        switch self {
        case .skip: return nil
        case .text: return .text(text)
        case .auto: return text.isEmpty && !field.isQuoted ? nil : .text(text)
        default: if text.isEmpty { return nil }
        }
        switch self {
        case .int:
            if let number = Int64(text) { return .json(String(number)) }
            guard let number = UInt64(text) else { throw wrong("an integer of 64 bits", field) }
            return .json(String(number))
        case .number:
            guard Self.isNumber(text) || UInt64(text) != nil && text.first != "+" && text.first != "0" else {
                throw wrong("a number", field)
            }
            return .json(text)
        case .bool:
            guard let value = Self.booleans[text.lowercased()] else { throw wrong("true or false", field) }
            return .json(value ? "true" : "false")
        case .json:
            do { try JSONInput.check(Array(text.utf8)) } catch { throw wrong("JSON", field) }
            return .json(text)
        case .auto, .text, .skip: return .text(text)
        }
    }

    private func wrong(_ expected: String, _ field: CSVField) -> ImportProblem {
        ImportProblem(position: field.position, message: "the field is not \(expected), as --types requires")
    }

    static func isBoolean(_ text: String) -> Bool { text == "true" || text == "false" }

    /// Returns whether a text is a number in JSON that a document stores without loss: no leading zero, and no integer of more than 64 bits.
    static func isNumber(_ text: String) -> Bool {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard let first = digits.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        if digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return (digits == "0" || first != UInt8(ascii: "0")) && text != "-0" && Int64(text) != nil
        }
        return (try? JSONInput.check(Array(text.utf8))) != nil
    }
}

/// The types of columns: `auto`, `text`, or `NAME=TYPE,…` (also with a colon), where the other columns are `auto`.
struct ColumnTypes {
    private var byName: [(name: String, type: ColumnType)] = []
    private var others = ColumnType.auto

    var names: [String] { byName.map(\.name) }

    init() {}

    /// Parses the form of the command line; `nil` if a type is unknown.
    init?(_ text: String) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let sign = part.lastIndex(where: { $0 == "=" || $0 == ":" }) else {
                // A type without a name applies to the columns that are not named.
                guard let type = ColumnType(rawValue: String(part)) else { return nil }
                others = type
                continue
            }
            guard let type = ColumnType(rawValue: String(part[part.index(after: sign)...])), sign > part.startIndex else { return nil }
            byName.append((String(part[..<sign]), type))
        }
    }

    func type(of column: String) -> ColumnType { byName.last { $0.name.utf8.elementsEqual(column.utf8) }?.type ?? others }
}
