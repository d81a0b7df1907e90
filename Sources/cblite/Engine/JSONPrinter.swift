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

    mutating func member(_ key: String, _ value: String?) {
        begin(key)
        if let value { writer.append(value) } else { writer.appendNull() }
    }

    mutating func member(_ key: String, _ value: Bool) {
        begin(key)
        writer.append(value)
    }

    mutating func member(_ key: String, _ value: some BinaryInteger) {
        begin(key)
        writer.append(Int64(clamping: value))
    }

    mutating func member(_ key: String, _ value: Double) {
        begin(key)
        writer.append(value)
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

    /// Writes an array with one object for each element of `items`.
    mutating func objects<Items: Sequence, Failure: Error>(
        _ key: String,
        _ items: Items,
        _ body: (inout JSONPrinter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        try array(key, items) { (printer: inout JSONPrinter, item: Items.Element) throws(Failure) in
            try printer.writeObject { (printer: inout JSONPrinter) throws(Failure) in try body(&printer, item) }
        }
    }

    mutating func strings(_ key: String, _ items: some Sequence<String>) {
        array(key, items) { $0.writer.append($1) }
    }

    mutating func numbers(_ key: String, _ items: some Sequence<Int>) {
        array(key, items) { $0.writer.append(Int64($1)) }
    }

    private mutating func array<Items: Sequence, Failure: Error>(
        _ key: String,
        _ items: Items,
        _ writeItem: (inout JSONPrinter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        begin(key)
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

/// JSON texts given on the command line. The public API parses only objects and arrays.
enum JSONText {
    /// Checks whether the bytes are JSON text.
    static func check(_ text: [UInt8]) throws {
        _ = try text.withUnsafeBytes { try JSON.fleece($0, allowingFragments: true) }
    }

    /// Returns a value that a document can store.
    static func value(_ text: String) throws -> Any {
        try check(Array(text.utf8))
        let value = try MutableDictionaryObject(json: "{\"value\":\(text)}").value(forKey: "value") ?? NSNull()
        // A blob without content could not be used; its dictionary can.
        return value is Blob ? try MutableDictionaryObject(json: text) : value
    }
}
