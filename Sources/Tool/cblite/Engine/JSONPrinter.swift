import CouchbaseLiteSwift
import Fleece
import Foundation

/// Writes a report as JSON, with the members in the order of the calls. Foundation and the public API do not preserve their order.
struct JSONPrinter: ~Copyable {
    private var writer = JSONWriter()
    private var needsComma = false

    /// Returns the text of one object, whose members `body` writes.
    static func object<Failure: Error>(_ body: (inout JSONPrinter) throws(Failure) -> Void) throws(Failure) -> String {
        var printer = JSONPrinter()
        try printer.writeObject(body)
        return printer.writer.string
    }

    /// Returns the text of one object with these members.
    static func object(_ members: JSONMembers) -> String { object { $0.members(members) } }

    mutating func members(_ members: JSONMembers) {
        for (key, value) in members { member(key, value) }
    }

    mutating func member(_ key: String, _ value: (any JSONReportable)?) {
        begin(key)
        write(value)
    }

    private mutating func write(_ value: (any JSONReportable)?) {
        switch value?.reported {
        case nil: writer.appendNull()
        case .text(let text): writer.append(text)
        case .boolean(let boolean): writer.append(boolean)
        case .integer(let number): writer.append(number)
        case .unsigned(let number):
            var digits = String(number)
            digits.withUTF8 { writer.append(raw: UnsafeRawBufferPointer($0)) }
        case .number(let number): writer.append(number)
        case .list(let items): array(items) { $0.write($1) }
        }
    }

    /// - Parameter json: The value as JSON text; it is not validated.
    mutating func member(_ key: String, json: String) {
        begin(key)
        var json = json
        json.withUTF8 { writer.append(raw: UnsafeRawBufferPointer($0)) }
    }

    mutating func object<Failure: Error>(_ key: String, _ body: (inout JSONPrinter) throws(Failure) -> Void) throws(Failure) {
        begin(key)
        try writeObject(body)
    }

    mutating func object(_ key: String, _ members: JSONMembers) { object(key) { $0.members(members) } }

    /// Writes an array with one object for each element of `items`.
    mutating func objects<Items: Sequence, Failure: Error>(
        _ key: String,
        _ items: Items,
        _ body: (inout JSONPrinter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        begin(key)
        try array(items) { (printer: inout JSONPrinter, item: Items.Element) throws(Failure) in
            try printer.writeObject { (printer: inout JSONPrinter) throws(Failure) in try body(&printer, item) }
        }
    }

    private mutating func array<Items: Sequence, Failure: Error>(
        _ items: Items,
        _ writeItem: (inout JSONPrinter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        writer.append(ascii: "[")
        needsComma = false
        for item in items {
            separate()
            try writeItem(&self, item)
        }
        writer.append(ascii: "]")
        needsComma = true
    }

    private mutating func writeObject<Failure: Error>(_ body: (inout JSONPrinter) throws(Failure) -> Void) throws(Failure) {
        writer.append(ascii: "{")
        needsComma = false
        try body(&self)
        writer.append(ascii: "}")
        needsComma = true
    }

    private mutating func begin(_ key: String) {
        separate()
        writer.append(key)
        writer.append(ascii: ":")
    }

    private mutating func separate() {
        if needsComma { writer.append(ascii: ",") }
        needsComma = true
    }
}

/// The members of an object, in their order; `nil` is written as null.
typealias JSONMembers = KeyValuePairs<String, (any JSONReportable)?>

/// A value that reports contain.
protocol JSONReportable {
    var reported: ReportedValue { get }
}

enum ReportedValue {
    case text(String)
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case list([any JSONReportable])
}

extension String: JSONReportable { var reported: ReportedValue { .text(self) } }
extension Bool: JSONReportable { var reported: ReportedValue { .boolean(self) } }
extension Double: JSONReportable { var reported: ReportedValue { .number(self) } }
extension Array: JSONReportable where Element: JSONReportable { var reported: ReportedValue { .list(self) } }

extension Int: JSONReportable { var reported: ReportedValue { .integer(Int64(self)) } }
extension Int64: JSONReportable { var reported: ReportedValue { .integer(self) } }
extension UInt64: JSONReportable { var reported: ReportedValue { .unsigned(self) } }

/// JSON texts given on the command line. The public API parses only objects and arrays.
enum JSONInput {
    /// Checks whether the bytes are JSON text.
    static func check(_ text: [UInt8]) throws { _ = try text.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) } }

    /// Returns a value that a document can store.
    static func value(_ text: String) throws -> Any {
        try check(Array(text.utf8))
        let value = try MutableDictionaryObject(json: "{\"value\":\(text)}").value(forKey: "value") ?? NSNull()
        // A blob without content could not be used; its dictionary can.
        return value is Blob ? try MutableDictionaryObject(json: text) : value
    }
}
