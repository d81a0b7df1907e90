import DocumentStore
import Fleece

/// Encodes one value: what `encode(to:)` of a type gets to see.
///
/// A value inside is written where it stands while the one around it waits, so no copy is made of it. What Swift lets a type
/// write in any order, nested containers and what superclasses write, is encoded aside, as a *part*, and copied when the value
/// around it ends.
final class ValueEncoder: Swift.Encoder {
    /// What has been written as the value so far.
    private enum Shape {
        case nothing, single, array, dictionary
    }

    private struct Part {
        let encoder: ValueEncoder
        /// The place among the items of an array.
        let index: Int
    }

    /// How many values may be inside each other: as many as containers, and a wrapper between every two.
    private static let maximumNesting = 2 * Limits.maximumDepth

    let encoding: ModelEncoding
    private let output: BodyEncoder
    private let parent: ValueEncoder?
    private let key: (any CodingKey)?
    private let nesting: Int
    /// How many containers are open, this value's included.
    private var depth: Int
    private var shape = Shape.nothing
    /// Whether it is this value's turn to write: not while one inside is being encoded, and not after the end.
    private var isActive = true
    /// How many items the array has.
    private(set) var count = 0
    private var parts: [Part] = []

    /// Encodes the whole object.
    init(_ encoding: ModelEncoding) {
        self.encoding = encoding
        output = encoding.body
        parent = nil
        key = nil
        nesting = 0
        depth = 0
    }

    private init(_ key: (any CodingKey)?, in parent: ValueEncoder, output: BodyEncoder) {
        encoding = parent.encoding
        self.output = output
        self.parent = parent
        self.key = key
        nesting = parent.nesting + 1
        depth = parent.depth
    }

    var codingPath: [any CodingKey] {
        var path: [any CodingKey] = []
        var encoder: ValueEncoder? = self
        while let current = encoder {
            if let key = current.key { path.append(key) }
            encoder = current.parent
        }
        return path.reversed()
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.dictionary)
        return KeyedEncodingContainer(KeyedEncoding<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.array)
        return UnkeyedEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleValueEncoding(encoder: self)
    }

    // MARK: Places of values

    /// Begins the value of a key of this dictionary.
    @inline(__always)
    func begin(_ key: some CodingKey) throws {
        try checkTurn()
        output.encoder.writeKey(key.stringValue)
    }

    /// Begins the next item of this array.
    @inline(__always)
    func beginItem() throws {
        try checkTurn()
        count += 1
    }

    /// Begins the one value that this is.
    func beginSingle() throws {
        try checkTurn()
        guard parent != nil else { throw encoding.fail(refusal("an object must encode its properties by keys")) }
        guard shape == .nothing else { throw encoding.fail(refusal("more than one value was encoded in one place")) }
        shape = .single
    }

    private func checkTurn() throws {
        if let failure = encoding.failure { throw failure }
        guard isActive else { throw encoding.fail(refusal("something was encoded while a value inside was, or after the end")) }
    }

    // MARK: Values

    func writeNull() {
        output.encoder.writeNull()
    }

    @inline(__always)
    func write(_ value: some StoredScalar) {
        value.write(into: &output.encoder)
    }

    /// A string needs a look: with its key it may make the dictionary a blob.
    @inline(__always)
    func write(_ value: some StoredScalar, noticing key: some CodingKey) {
        write(value)
        if let text = exactly(String.self, value) { encoding.context.notice(.string(text), forKey: key.stringValue) }
    }

    /// Writes a value after its place was begun.
    func write<T: Encodable>(_ value: T, at key: (any CodingKey)?) throws {
        do {
            if let date = exactly(Date.self, value) {
                output.encoder.write(date.stored)
            } else if let blob = exactly(Blob.self, value) {
                try write(blob)
            } else {
                let inner = ValueEncoder(key, in: self, output: output)
                try inner.checkNesting()
                isActive = false
                defer { isActive = true }
                if let dictionary = value as? any StringKeyedValues {
                    try dictionary.encodeInOrder(to: inner)
                } else {
                    try value.encode(to: inner)
                }
                try inner.end()
            }
        } catch {
            throw encoding.fail(error)
        }
    }

    /// Writes a blob as the one value that this is.
    func writeSingle(_ blob: Blob) throws {
        try beginSingle()
        do { try write(blob) } catch { throw encoding.fail(error) }
    }

    private func write(_ blob: Blob) throws {
        encoding.context.containsBlobs = true
        try blob.encode(into: &output.encoder, &encoding.context, saving: encoding.saveBlob)
    }

    /// Whether a value of this type is to be written; not the ID of the document.
    ///
    /// - Throws: `EncodingError` for types that cannot be stored. Nothing has been written then.
    func accepts<T: Encodable>(_ value: T, at key: (any CodingKey)?) throws -> Bool {
        if T.self == DocumentID.self { return parent != nil }
        if T.self == Data.self {
            throw refusal(value, at: key, "binary data cannot be stored in a property, use a Blob")
        }
        if T.self == Int128.self || T.self == UInt128.self {
            throw refusal(value, at: key, "integers of more than 64 bits cannot be stored")
        }
        return true
    }

    /// - Throws: `EncodingError` for numbers that cannot be stored. Nothing has been written then.
    @inline(__always)
    func check(_ value: some StoredScalar, at key: @autoclosure () -> (any CodingKey)?) throws {
        if let reason = value.refusal { throw refusal(value, at: key(), reason) }
    }

    // MARK: Containers

    private func open(_ wanted: Shape) {
        guard encoding.failure == nil, shape != wanted else { return }
        guard isActive, shape == .nothing else {
            encoding.fail(refusal("more than one value was encoded in one place"))
            return
        }
        guard parent != nil || wanted == .dictionary else {
            encoding.fail(refusal("an object must encode its properties by keys"))
            return
        }
        guard depth < Limits.maximumDepth else {
            encoding.fail(tooDeep)
            return
        }
        depth += 1
        shape = wanted
        if wanted == .dictionary { output.encoder.beginDictionary() } else { output.encoder.beginArray() }
    }

    /// A value in this container that is encoded aside.
    func part(at key: any CodingKey) -> ValueEncoder {
        let part = ValueEncoder(key, in: self, output: encoding.takePart())
        do {
            try part.checkNesting()
            try checkTurn()
            if shape == .array {
                // Keeps the place among the items.
                try beginItem()
                writeNull()
            }
            parts.append(Part(encoder: part, index: count - 1))
        } catch {
            encoding.fail(error)
        }
        return part
    }

    /// A container in this one.
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type, at key: any CodingKey) -> KeyedEncodingContainer<Key> {
        part(at: key).container(keyedBy: type)
    }

    /// A container in this one.
    func nestedUnkeyedContainer(at key: any CodingKey) -> any UnkeyedEncodingContainer {
        part(at: key).unkeyedContainer()
    }

    /// Ends the value.
    func end() throws {
        if let failure = encoding.failure { throw failure }
        try writeParts()
        isActive = false
        switch shape {
        case .nothing: throw encoding.fail(refusal("nothing was encoded"))
        case .single: break
        case .array: output.encoder.endArray()
        case .dictionary:
            guard output.encoder.endDictionaryCheckingKeys() else { throw encoding.fail(refusal("two values were encoded for one key")) }
        }
    }

    private func writeParts() throws {
        for part in parts {
            let inner = part.encoder
            // What a superclass without properties encodes.
            if inner.shape == .nothing { inner.open(.dictionary) }
            try inner.end()
            guard let value = Value(root: try inner.output.encoder.finish()) else { throw FleeceError(.badRoot) }
            if shape == .dictionary, let key = inner.key { output.encoder.writeKey(key.stringValue) }
            output.encoder.write(value, keys: .same)
            if shape == .array { output.encoder.moveLastItem(to: part.index) }
            encoding.giveBack(inner.output)
        }
        parts.removeAll()
    }

    // MARK: Errors

    private func checkNesting() throws {
        guard nesting <= Self.maximumNesting else { throw tooDeep }
    }

    private var tooDeep: EncodingError {
        refusal("values are nested deeper than \(Limits.maximumDepth) levels, or contain themselves")
    }

    private func refusal(_ reason: String) -> EncodingError {
        .refusal((), at: codingPath, reason)
    }

    private func refusal(_ value: Any, at key: (any CodingKey)?, _ reason: String) -> EncodingError {
        .refusal(value, at: codingPath + (key.map { [$0] } ?? []), reason)
    }
}
