/// A value that ``JSONWriter`` writes.
public protocol JSONWritable {
    /// Appends the value.
    func write(to writer: inout JSONWriter)
}

// Objects and arrays whose parts are written one by one. The commas between them are written as needed: after a value, but not at the beginning
// of a container, after the name of a member, or at the beginning of a line.
extension JSONWriter {
    /// Returns the text of an object whose members `body` writes.
    public static func object<Failure: Error>(
        capacity: Int = 512,
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> JSONWriter {
        var writer = JSONWriter(capacity: capacity)
        try writer.object(body)
        return writer
    }

    /// Returns the text of an object with these members; `nil` becomes null.
    public static func object(_ members: JSONMembers) -> JSONWriter { object { $0.members(members) } }

    /// Returns the text of an array with the value that `body` appends for each element.
    public static func array<Items: Sequence, Failure: Error>(
        capacity: Int = 512,
        _ items: Items,
        _ body: (inout JSONWriter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) -> JSONWriter {
        var writer = JSONWriter(capacity: capacity)
        try writer.array(items, body)
        return writer
    }

    /// Returns the text of a value, in UTF-8.
    public static func text(of value: some JSONWritable) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        value.write(to: &writer)
        return writer.byteArray
    }

    // MARK: Containers of several calls

    /// Begins an object. The values and names that follow are its members, until ``endObject()``.
    public mutating func beginObject() {
        separate()
        append(ascii: "{")
    }

    /// Ends the object that was begun last.
    public mutating func endObject() { append(ascii: "}") }

    /// Begins an array. The values that follow are its items, until ``endArray()``.
    public mutating func beginArray() {
        separate()
        append(ascii: "[")
    }

    /// Ends the array that was begun last.
    public mutating func endArray() { append(ascii: "]") }

    // MARK: Values

    /// Appends a value: the next item of the array, or the value of the member whose name was appended.
    public mutating func value(_ value: (some JSONWritable)?) {
        separate()
        if let value { value.write(to: &self) } else { appendNull() }
    }

    /// Appends an object whose members `body` writes.
    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Appends an array with the value that `body` appends for each element, with any function.
    public mutating func array<Items: Sequence, Failure: Error>(
        _ items: Items,
        _ body: (inout JSONWriter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        beginArray()
        for item in items {
            separate()
            try body(&self, item)
        }
        endArray()
    }

    /// Appends text that is valid JSON as a value.
    public mutating func value(json: some Collection<UInt8>) {
        separate()
        append(json: json)
    }

    // MARK: Members

    /// Appends the name of a member, whose value follows.
    ///
    /// - Parameter name: ASCII text without quotation marks and backslashes.
    public mutating func name(_ name: StaticString) {
        separate()
        append(ascii: "\"")
        append(raw: name)
        append(raw: "\":")
    }

    /// Appends the name of a member, whose value follows.
    @_disfavoredOverload
    public mutating func name(_ name: String) {
        separate()
        append(name)
        append(ascii: ":")
    }

    /// Appends a member; `nil` becomes null.
    public mutating func member(_ name: StaticString, _ value: (some JSONWritable)?) {
        self.name(name)
        self.value(value)
    }

    /// Appends a member; `nil` becomes null.
    @_disfavoredOverload
    public mutating func member(_ name: String, _ value: (some JSONWritable)?) {
        self.name(name)
        self.value(value)
    }

    /// Appends a member whose value is text that is valid JSON.
    public mutating func member(_ name: String, json: some Collection<UInt8>) {
        self.name(name)
        value(json: json)
    }

    /// Appends a member whose value is text that is valid JSON.
    @_disfavoredOverload
    public mutating func member(_ name: String, json: String) { member(name, json: json.utf8) }

    /// Appends a member whose value is a Fleece value with everything it contains.
    ///
    /// - Throws: ``FleeceError``, if the value is invalid. The name may have been appended then.
    public mutating func member(_ name: String, _ value: Value, sharedKeys: SharedKeys = .empty) throws(FleeceError) {
        self.name(name)
        try append(value, sharedKeys: sharedKeys)
    }

    /// Appends members; `nil` becomes null.
    public mutating func members(_ members: JSONMembers) {
        for (name, value) in members {
            self.name(name)
            separate()
            if let value { value.write(to: &self) } else { appendNull() }
        }
    }

    /// Appends a member that is an object.
    public mutating func object<Failure: Error>(
        _ name: String,
        _ body: (inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) {
        self.name(name)
        try object(body)
    }

    /// Appends a member that is an object.
    public mutating func object(_ name: String, _ members: JSONMembers) { object(name) { $0.members(members) } }

    /// Appends a member that is an array with the value that `body` appends for each element, with any function.
    public mutating func array<Items: Sequence, Failure: Error>(
        _ name: String,
        _ items: Items,
        _ body: (inout JSONWriter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        self.name(name)
        try array(items, body)
    }

    /// Appends a member that is an array with an object for each element, whose members `body` writes.
    public mutating func objects<Items: Sequence, Failure: Error>(
        _ name: String,
        _ items: Items,
        _ body: (inout JSONWriter, Items.Element) throws(Failure) -> Void
    ) throws(Failure) {
        try array(name, items) { (writer: inout JSONWriter, item: Items.Element) throws(Failure) in
            try writer.object { (writer: inout JSONWriter) throws(Failure) in try body(&writer, item) }
        }
    }

    // MARK: Commas

    /// Appends a comma if a value precedes.
    mutating func separate() {
        guard count > 0 else { return }
        switch out[count - 1] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "\n"): return
        default: append(ascii: ",")
        }
    }

    private mutating func append(json text: some Collection<UInt8>) {
        let isAppended: Void? = text.withContiguousStorageIfAvailable { append(raw: UnsafeRawBufferPointer($0)) }
        if isAppended == nil { Array(text).withUnsafeBytes { append(raw: $0) } }
    }
}

/// The members of an object, in their order; `nil` is written as null.
public typealias JSONMembers = KeyValuePairs<String, (any JSONWritable)?>

extension String: JSONWritable { public func write(to writer: inout JSONWriter) { writer.append(self) } }
extension Bool: JSONWritable { public func write(to writer: inout JSONWriter) { writer.append(self) } }
extension Double: JSONWritable { public func write(to writer: inout JSONWriter) { writer.append(self) } }
extension Int: JSONWritable { public func write(to writer: inout JSONWriter) { writer.append(Int64(self)) } }
extension Int64: JSONWritable { public func write(to writer: inout JSONWriter) { writer.append(self) } }
extension UInt64: JSONWritable { public func write(to writer: inout JSONWriter) { writer.append(unsigned: self) } }

extension Array: JSONWritable where Element: JSONWritable {
    public func write(to writer: inout JSONWriter) { writer.array(self) { $0.value($1) } }
}
