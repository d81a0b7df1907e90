import DocumentStore
import Fleece

/// Encodes one value: the encoder that `encode(to:)` of a type receives.
///
/// A nested value is written directly into the output while the outer value waits, so it is not copied. Nested
/// containers, and values that superclasses encode, may be written in any order; each of them is therefore encoded
/// separately, as a *part*, and copied when the outer value ends.
final class ValueEncoder: Swift.Encoder {
    /// The kind of value that has been written.
    private enum Shape {
        case nothing, single, array, dictionary
    }

    private struct Part {
        let encoder: ValueEncoder
        /// The index among the items of an array.
        let index: Int
    }

    /// The maximum nesting of values: as many as containers may be nested, and a wrapper between each two of them.
    private static let maximumNesting = 2 * Limits.maximumDepth

    let encoding: ModelEncoding
    private let output: BodyEncoder
    private let parent: ValueEncoder?
    private let key: (any CodingKey)?
    private let nesting: Int
    /// Whether this encodes the properties of the whole object, or those of its superclass.
    private let isObject: Bool
    /// The number of open containers, including this one.
    private var depth: Int
    private var shape = Shape.nothing
    /// Whether this value can be written now: not while a nested value is being encoded, and not after the end.
    private var isActive = true
    /// The number of items in the array.
    private(set) var count = 0
    private var parts: [Part] = []
    private var entries: [PostponedEntry] = []

    /// Creates the encoder of the whole object.
    init(_ encoding: ModelEncoding) {
        self.encoding = encoding
        output = encoding.body
        parent = nil
        key = nil
        nesting = 0
        isObject = true
        depth = 0
    }

    private init(_ key: (any CodingKey)?, in parent: ValueEncoder, output: BodyEncoder, isSuperclass: Bool = false) {
        isObject = isSuperclass && parent.isObject
        encoding = parent.encoding
        self.output = output
        self.parent = parent
        self.key = key
        nesting = parent.nesting + 1
        depth = parent.depth
    }

    var codingPath: [any CodingKey] { parent?.path(to: key) ?? [] }

    private func path(to key: (any CodingKey)?) -> [any CodingKey] { codingPath + (key.map { [$0] } ?? []) }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        open(.dictionary)
        if parent == nil, let idKey = encoding.idKey {
            return KeyedEncodingContainer(IdentifiedEncoding<Key>(encoder: self, idKey: idKey))
        }
        if DictionaryEncoding<Key>.isUsed {
            encoding.dictionaries?.note(codingPath)
            return KeyedEncodingContainer(DictionaryEncoding<Key>(encoder: self))
        }
        return KeyedEncodingContainer(KeyedEncoding<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        open(.array)
        return UnkeyedEncoding(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueEncoding(encoder: self) }

    // MARK: Positions of values

    /// Begins the value for a key of this dictionary.
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

    /// Begins the only value.
    func beginSingle() throws {
        try checkTurn()
        guard parent != nil else { throw encoding.fail(refusal("an object must encode its properties in a keyed container")) }
        guard shape == .nothing else { throw encoding.fail(refusal("more than one value was encoded where one is expected")) }
        shape = .single
    }

    private func checkTurn() throws {
        if let failure = encoding.failure { throw failure }
        guard isActive else {
            throw encoding.fail(refusal("a value was encoded while a nested value was being encoded, or after the end of its container"))
        }
    }

    // MARK: Values

    func writeNull() { output.encoder.writeNull() }

    @inline(__always)
    func write(_ value: some StoredScalar) { value.write(into: &output.encoder) }

    /// Writes a value for `key`, and detects strings that make the dictionary a blob.
    @inline(__always)
    func write(_ value: some StoredScalar, noticing key: some CodingKey) {
        write(value)
        if let text = exactly(String.self, value) { encoding.notice(text, forKey: key.stringValue) }
    }

    /// Writes a value whose position has been begun.
    func write<T: Encodable>(_ value: T, at key: (any CodingKey)?) throws {
        do {
            if let scalar = StoredForm.scalar(of: value) {
                try write(scalar, at: key)
            } else if T.self == encoding.types.blob {
                try write(blob: value)
            } else {
                let inner = ValueEncoder(key, in: self, output: output)
                try inner.checkNesting()
                isActive = false
                defer { isActive = true }
                try value.encode(to: inner)
                try inner.end()
            }
        } catch {
            throw encoding.fail(error)
        }
    }

    /// Writes a scalar in the place of a value that does not encode itself.
    private func write(_ scalar: ScalarValue, at key: (any CodingKey)?) throws {
        switch scalar {
        // Not the date itself, because the description of one that is not finite traps.
        case .date(let seconds) where scalar.string == nil: throw refusal(seconds, at: key, UnstorableDate.reason)
        case .double(let number): try check(number, at: key)
        default: break
        }
        output.encoder.write(scalar)
    }

    /// Writes a blob as the only value.
    func writeSingle(blob: some ModelBlob) throws {
        try beginSingle()
        do { try write(blob: blob) } catch { throw encoding.fail(error) }
    }

    /// Writes a counter as the only value, and notes it for the save.
    func writeSingle(counter: PendingCount) throws {
        guard let key, let parent, parent.parent == nil else {
            throw encoding.fail(refusal("a counter must be a property of the model itself, not of a value within it"))
        }
        try beginSingle()
        let value = counter.value
        output.encoder.write(value)
        encoding.counters?.add(counter, value, for: key.stringValue)
    }

    private func write(blob: some Any) throws {
        encoding.containsBlobs = true
        try encoding.blobs.write(blob, into: &output.encoder)
    }

    /// Whether values of a type are the ID of the document that is encoded, which is no property.
    func isDocumentID<T>(_ type: T.Type) -> Bool { type == encoding.types.documentID && isObject }

    /// Returns whether a value of this type is written: `false` for the ID of the document.
    ///
    /// - Throws: `EncodingError` if the type cannot be stored. Nothing has been written then.
    func accepts<T: Encodable>(_ value: T, at key: (any CodingKey)?) throws -> Bool {
        if T.self == encoding.types.documentID { return !isObject }
        if let reason = StoredForm.refusal(of: T.self) { throw refusal(value, at: key, reason) }
        return true
    }

    /// - Throws: `EncodingError` if the number cannot be stored. Nothing has been written then.
    @inline(__always)
    func check(_ value: some StoredScalar, at key: @autoclosure () -> (any CodingKey)?) throws {
        if let reason = value.refusal { throw refusal(value, at: key(), reason) }
    }

    // MARK: Containers

    private func open(_ wanted: Shape) {
        guard encoding.failure == nil, shape != wanted else { return }
        guard isActive, shape == .nothing else {
            encoding.fail(refusal("more than one value was encoded where one is expected"))
            return
        }
        guard parent != nil || wanted == .dictionary else {
            encoding.fail(refusal("an object must encode its properties in a keyed container"))
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

    /// Writes an entry when this dictionary ends.
    func postpone(_ key: String, _ write: @escaping (ValueEncoder) throws -> Void) throws {
        try checkTurn()
        entries.append(PostponedEntry(key: key, write: write))
    }

    /// Returns an encoder for a value in this container that is encoded separately.
    ///
    /// - Parameter isSuperclass: Whether these are the properties that the superclass of an object encodes.
    func part(at key: any CodingKey, isSuperclass: Bool = false) -> ValueEncoder {
        let output = encoding.idleParts.popLast() ?? BodyEncoder(partOf: encoding.body)
        let part = ValueEncoder(key, in: self, output: output, isSuperclass: isSuperclass)
        do {
            try part.checkNesting()
            try checkTurn()
            if shape == .array {
                // Reserves the index among the items.
                try beginItem()
                writeNull()
            }
            parts.append(Part(encoder: part, index: count - 1))
        } catch {
            encoding.fail(error)
        }
        return part
    }

    func end() throws {
        if let failure = encoding.failure { throw failure }
        for entry in entries.sortedByKeyBytes { try entry.write(self) }
        entries.removeAll()
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
            // A superclass without properties encodes an empty dictionary.
            if inner.shape == .nothing { inner.open(.dictionary) }
            try inner.end()
            guard let value = Value(root: try inner.output.encoder.finish()) else { throw FleeceError(.badRoot) }
            if shape == .dictionary, let key = inner.key { output.encoder.writeKey(key.stringValue) }
            output.encoder.write(value, keys: .same)
            if shape == .array { output.encoder.moveLastItem(to: part.index) }
            encoding.idleParts.append(inner.output)
        }
        parts.removeAll()
    }

    // MARK: Errors

    private func checkNesting() throws {
        guard nesting <= Self.maximumNesting else { throw tooDeep }
    }

    private var tooDeep: EncodingError { refusal("values are nested deeper than \(Limits.maximumDepth) levels, or contain themselves") }

    private func refusal(_ reason: String) -> EncodingError { .refusal((), at: codingPath, reason) }

    private func refusal(_ value: Any, at key: (any CodingKey)?, _ reason: String) -> EncodingError {
        .refusal(value, at: path(to: key), reason)
    }
}
