import Fleece

/// Writes a report as JSON, with the members in the order of the calls.
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
        begin(key)
        writer.append(ascii: "[")
        needsComma = false
        for item in items {
            separate()
            try writeObject { (printer: inout JSONPrinter) throws(Failure) in try body(&printer, item) }
        }
        writer.append(ascii: "]")
        needsComma = true
    }

    mutating func strings(_ key: String, _ items: some Sequence<String>) {
        begin(key)
        writer.append(ascii: "[")
        needsComma = false
        for item in items {
            separate()
            writer.append(item)
        }
        writer.append(ascii: "]")
        needsComma = true
    }

    mutating func numbers(_ key: String, _ items: some Sequence<Int>) {
        begin(key)
        writer.append(ascii: "[")
        needsComma = false
        for item in items {
            separate()
            writer.append(Int64(item))
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
