import Fleece

/// An array inside a document or a query result: ordered values, read from the encoded data on access.
///
/// Immutable and thread-safe; see ``MutableArrayObject`` for an array that can be changed. The typed getters never
/// fail: a value of another type is returned as `nil`, zero or `false`. An index out of range is a programming error,
/// which traps, except in `array[index]`, which returns a ``Fragment`` that does not exist.
public class ArrayObject: ArrayProtocol, Equatable, Hashable, Sequence, @unchecked Sendable {
    // Unchecked is safe because contents are only changed through `MutableArrayObject`, which is documented to need external locking, and
    // the cache of an immutable array has its own lock. For the same reason no exclusivity checks are needed.
    @exclusivity(unchecked) final var contents: ArrayContents

    /// Creates an array over the encoded array `value`, which must be part of the source's data.
    init(source: FleeceSource, value: Value, isMutable: Bool) {
        contents = ArrayContents(source: source, base: value, isMutable: isMutable)
    }

    init(_ contents: consuming ArrayContents) { self.contents = contents }

    /// The number of values.
    public var count: Int { contents.count }

    /// Returns the value at `index`: a `String`, an `NSNumber` for numbers and booleans, `NSNull`, a ``Blob``, an
    /// ``ArrayObject`` or a ``DictionaryObject``. Containers in a mutable array are mutable. Never `nil`.
    public func value(at index: Int) -> Any? { value(checkedAt: index).any(object(at: index)) ?? NSNull() }

    // The typed getters, which `ArrayProtocol` documents.

    public func string(at index: Int) -> String? { value(checkedAt: index).string }
    public func number(at index: Int) -> NSNumber? { value(checkedAt: index).number }
    public func int(at index: Int) -> Int { value(checkedAt: index).int }
    public func int64(at index: Int) -> Int64 { value(checkedAt: index).int64 }
    public func float(at index: Int) -> Float { value(checkedAt: index).float }
    public func double(at index: Int) -> Double { value(checkedAt: index).double }
    public func boolean(at index: Int) -> Bool { value(checkedAt: index).boolean }
    public func date(at index: Int) -> Date? { value(checkedAt: index).date }
    public func blob(at index: Int) -> Blob? { object(at: index)?.blob }
    public func array(at index: Int) -> ArrayObject? { object(at: index)?.array }
    public func dictionary(at index: Int) -> DictionaryObject? { object(at: index)?.dictionary }

    /// Returns all values as Swift values: `[String: Any]`, `[Any]`, `String`, `NSNumber` and `NSNull`. Blobs remain ``Blob`` objects.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values at all levels.
    public func toArray() -> [Any] { contents.plain }

    /// Returns the array as JSON text; `[]`, and logs a warning, if the stored data is damaged. Calling it on a mutable
    /// array is a programming error, which traps.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values at all levels.
    public func toJSON() -> String { contents.json }

    /// Returns a mutable copy. Changes to the copy do not affect this array.
    ///
    /// - Complexity: O(1) for an immutable array, O(*n*) for a mutable array that was changed, nested containers included.
    public func toMutable() -> MutableArrayObject { MutableArrayObject(contents.mutableCopy()) }

    /// Returns an iterator over the values, in the form that ``value(at:)`` returns.
    public func makeIterator() -> AnyIterator<Any> {
        var index = 0
        return AnyIterator {
            guard index < self.count else { return nil }
            defer { index += 1 }
            return self.value(at: index)
        }
    }

    /// Returns the value at `index` as a ``Fragment``, which does not exist if `index` is out of range.
    public subscript(index: Int) -> Fragment { Fragment(array: self, index: index) }

    /// Returns whether both arrays contain equal values in the same order. A mutable and an immutable array can be equal.
    ///
    /// Blobs that have not been saved are compared by their content, which is read for this.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values at all levels.
    public static func == (array1: ArrayObject, array2: ArrayObject) -> Bool {
        array1 === array2 || array1.contents.isEqual(to: array2.contents)
    }

    /// Hashes the values.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values at all levels.
    public func hash(into hasher: inout Hasher) { contents.hash(into: &hasher) }

    /// Returns the value at `index`. An index out of range is a programming error, which traps.
    final func value(checkedAt index: Int) -> PropertyValue {
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
