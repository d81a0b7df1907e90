import Fleece

/// An array inside a document or a query result: values in an order, read where they are stored.
///
/// Immutable and safe to use from any thread; see ``MutableArrayObject`` for one that can be changed. The typed getters
/// never fail: a value of another type reads as nil, zero or false. An index out of range is a misuse, but not for
/// `array[index]`, which then is a ``Fragment`` that does not exist.
public class ArrayObject: ArrayProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked because contents are only changed through `MutableArrayObject`, which needs outside locking as
    // documented, and the cache of an immutable one locks itself. For the same reason accesses need no exclusivity checks.
    @exclusivity(unchecked) final var contents: ArrayContents

    /// The stored array `value`, which must be a part of the source's data.
    init(source: FleeceSource, value: Value, isMutable: Bool) {
        contents = ArrayContents(source: source, base: value, isMutable: isMutable)
    }

    init(_ contents: consuming ArrayContents) {
        self.contents = contents
    }

    /// How many values there are.
    public var count: Int { contents.count }

    /// The value at `index`: a `String`, an `NSNumber` for numbers and booleans, `NSNull`, a ``Blob``, an ``ArrayObject`` or a
    /// ``DictionaryObject``, the mutable ones if this is mutable. Never nil.
    public func value(at index: Int) -> Any? {
        let value = held(at: index)
        guard case .stored(let stored) = value else { return value.any }
        return PropertyValue.scalar(stored)?.any ?? object(at: index)?.reference ?? NSNull()
    }

    /// The string at `index`; nil when there is none.
    public func string(at index: Int) -> String? {
        held(at: index).string
    }

    /// The number or boolean at `index`; nil when there is none.
    public func number(at index: Int) -> NSNumber? {
        held(at: index).number
    }

    /// The number at `index`, truncated towards zero and clamped; 1 for true; else 0.
    public func int(at index: Int) -> Int {
        held(at: index).int
    }

    /// The number at `index`, truncated towards zero and clamped; 1 for true; else 0.
    public func int64(at index: Int) -> Int64 {
        held(at: index).int64
    }

    /// The number at `index`; 1 for true; else 0.
    public func float(at index: Int) -> Float {
        held(at: index).float
    }

    /// The number at `index`; 1 for true; else 0.
    public func double(at index: Int) -> Double {
        held(at: index).double
    }

    /// Whether the value at `index` is anything but false, zero, null or absent.
    public func boolean(at index: Int) -> Bool {
        held(at: index).boolean
    }

    /// The date that the string at `index` says in ISO-8601; nil when there is none.
    public func date(at index: Int) -> Date? {
        held(at: index).date
    }

    /// The blob at `index`; nil when there is none.
    public func blob(at index: Int) -> Blob? {
        object(at: index)?.blob
    }

    /// The array at `index`; nil when there is none.
    public func array(at index: Int) -> ArrayObject? {
        object(at: index)?.array
    }

    /// The dictionary at `index`; nil when there is none.
    public func dictionary(at index: Int) -> DictionaryObject? {
        object(at: index)?.dictionary
    }

    /// All values as plain Swift ones: dictionaries, arrays, strings, `NSNumber`, `NSNull`. Blobs stay blobs.
    public func toArray() -> [Any] {
        contents.plain
    }

    /// The array as JSON. Not for a mutable one, which is a misuse.
    public func toJSON() -> String {
        contents.json
    }

    /// A copy that can be changed; changes do not reach this one.
    public func toMutable() -> MutableArrayObject {
        MutableArrayObject(contents.mutableCopy())
    }

    /// Goes through the values, as ``value(at:)`` gives them.
    public func makeIterator() -> AnyIterator<Any> {
        var index = 0
        return AnyIterator {
            guard index < self.count else { return nil }
            defer { index += 1 }
            return self.value(at: index)
        }
    }

    /// The value at `index`, which need not exist, as a step of a path.
    public subscript(index: Int) -> Fragment {
        Fragment(array: self, index: index)
    }

    /// Whether both hold equal values in the same order, whatever their mutability.
    public static func == (array1: ArrayObject, array2: ArrayObject) -> Bool {
        array1 === array2 || array1.contents.isEqual(to: array2.contents)
    }

    /// Feeds the values into `hasher`.
    public func hash(into hasher: inout Hasher) {
        contents.hash(into: &hasher)
    }

    /// The value at `index`. An index out of range is a misuse.
    final func held(at index: Int) -> PropertyValue {
        checkIndex(index, below: count)
        return contents[index]
    }

    final func checkIndex(_ index: Int, below end: Int) {
        guard index >= 0, index < end else { _CBLMisuse.outOfRange(index, count: count) }
    }

    private func object(at index: Int) -> PropertyObject? {
        checkIndex(index, below: count)
        return contents.isMutable ? contents.mutableObject(at: index) : contents.object(at: index)
    }
}
