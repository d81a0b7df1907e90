import Base
import DatabaseRuntime
import Fleece
import ModelCoding

extension DictionaryContents {
    /// Creates contents with the values of `data`, converted to property values.
    init(_ data: [String: Any]?) {
        var nesting = Nesting()
        self.init(data ?? [:], &nesting)
        nesting.trap()
    }

    init(_ data: [String: Any], _ nesting: inout Nesting) {
        self.init(isMutable: true)
        reserveCapacity(data.count)
        // The order of Swift's dictionaries differs between processes; without sorting, so would the stored bytes and
        // revision IDs (API 1.4).
        for (key, value) in data.sorted(by: { $0.key.isOrderedBefore($1.key) }) { set(PropertyValue(value, &nesting), forKey: key) }
    }

    /// Creates contents from a JSON object. Its values are read in place from the parser's output.
    init(json: String) throws {
        let data = try FleeceData.parsed(json, as: .dictionary)
        self.init(source: FleeceSource(data: data, sharedKeys: .empty), base: data.root, isMutable: true)
    }

    /// The stored values as JSON; changes are not included.
    var json: String { source?.json(base) ?? "{}" }

    /// The values as Swift values and blobs.
    var plain: [String: Any] {
        var plain: [String: Any] = [:]
        for key in keys { plain[key] = value(forKey: key)?.resolved(in: source).plain }
        return plain
    }

    func isEqual(to other: borrowing DictionaryContents) -> Bool {
        guard count == other.count else { return false }
        for key in keys {
            guard let value = self.value(forKey: key), let otherValue = other.value(forKey: key) else { return false }
            guard value.resolved(in: source).isEqual(to: otherValue.resolved(in: other.source)) else { return false }
        }
        return true
    }

    /// Hashes the pairs in a way that does not depend on their order, as the order of keys does not affect equality.
    func hash(into hasher: inout Hasher) {
        var sum = 0
        for key in keys {
            var pairHasher = Hasher()
            pairHasher.combine(key)
            value(forKey: key)?.resolved(in: source).hash(into: &pairHasher)
            sum &+= pairHasher.finalize()
        }
        hasher.combine(sum)
    }

    /// Returns whether `object` is one of the containers in here, at any level.
    func holds(_ object: AnyObject) -> Bool { newValues.contains { $0.object?.holds(object) == true } }

    /// Calls `body` for every object that was set here or in a nested container.
    func forEachObject<Failure>(_ body: (PropertyObject) throws(Failure) -> Void) throws(Failure) {
        // A loop over copies would retain and release every value.
        try newValues.withUnsafeBufferPointer { values throws(Failure) in
            for place in values.indices { try values[place].object?.forEachObject(body) }
        }
    }
}

extension ArrayContents {
    /// Creates contents with the values of `data`, converted to property values.
    init(_ data: [Any]?) {
        var nesting = Nesting()
        self.init(data ?? [], &nesting)
        nesting.trap()
    }

    init(_ data: [Any], _ nesting: inout Nesting) { self.init(data.map { PropertyValue($0, &nesting) }) }

    /// Creates contents from a JSON array. Its values are read in place from the parser's output.
    init(json: String) throws {
        let data = try FleeceData.parsed(json, as: .array)
        self.init(source: FleeceSource(data: data, sharedKeys: .empty), base: data.root, isMutable: true)
    }

    /// The stored values as JSON; changes are not included.
    var json: String { source?.json(base) ?? "[]" }

    /// The values as Swift values and blobs.
    var plain: [Any] { values.map { $0.resolved(in: source).plain } }

    func isEqual(to other: borrowing ArrayContents) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count {
            let value = self[index].resolved(in: source)
            guard value.isEqual(to: other[index].resolved(in: other.source)) else { return false }
        }
        return true
    }

    func hash(into hasher: inout Hasher) { for value in values { value.resolved(in: source).hash(into: &hasher) } }

    /// Returns whether `object` is one of the containers in here, at any level.
    func holds(_ object: AnyObject) -> Bool { items?.contains { $0.object?.holds(object) == true } ?? false }

    /// Calls `body` for every object that was set here or in a nested container.
    func forEachObject<Failure>(_ body: (PropertyObject) throws(Failure) -> Void) throws(Failure) {
        for value in items ?? [] { try value.object?.forEachObject(body) }
    }
}

extension PropertyValue {
    /// Traps if the value contains `object`: a container that contained itself could not be saved or compared.
    func mustNotContain(_ object: AnyObject) { if self.object?.holds(object) == true { Self.failInsideItself() } }

    static func failInsideItself() -> Never { _CBLMisuse.fail(insideItself) }

    static var insideItself: Misuse { .invalidArgument("A dictionary or array cannot be set inside itself.") }

    /// The value, with a mutable copy of an array or dictionary.
    var unshared: PropertyValue { object.map { .object($0.unshared) } ?? self }
}

extension PropertyObject {
    /// Whether this is `object`, or contains it.
    func holds(_ object: AnyObject) -> Bool {
        switch self {
        case .blob: false
        case .array(let array): array === object || array.contents.holds(object)
        case .dictionary(let dictionary): dictionary === object || dictionary.contents.holds(object)
        }
    }

    /// Whether anything in a container differs from the stored data.
    var hasChanges: Bool {
        switch self {
        case .blob: false
        case .array(let array): array.contents.hasChanges
        case .dictionary(let dictionary): dictionary.contents.hasChanges
        }
    }

    /// The blob, or a mutable copy of the array or dictionary.
    var unshared: PropertyObject {
        switch self {
        case .blob: self
        case .array(let array): .array(array.toMutable())
        case .dictionary(let dictionary): .dictionary(dictionary.toMutable())
        }
    }

    /// Calls `body` for this object, and for every object that was set inside of it.
    func forEachObject<Failure>(_ body: (PropertyObject) throws(Failure) -> Void) throws(Failure) {
        try body(self)
        switch self {
        case .blob: break
        case .array(let array): try array.contents.forEachObject(body)
        case .dictionary(let dictionary): try dictionary.contents.forEachObject(body)
        }
    }
}
