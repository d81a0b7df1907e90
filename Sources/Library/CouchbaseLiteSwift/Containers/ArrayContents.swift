import DocumentStore
import Fleece

/// The contents of an array: an encoded array that is read in place or, after the first change, a list of values.
///
/// Noncopyable, so that it is always used in place in its owner.
struct ArrayContents: ~Copyable {
    let source: FleeceSource?
    /// The encoded array, which is part of the source's data.
    let base: Value?
    let isMutable: Bool
    /// The values; `nil` while the encoded array contains them.
    private(set) var items: [PropertyValue]?
    /// Whether `items` differs from the encoded array. Reading nested containers does not set it.
    private var isChanged = false
    /// Whether this replaces values that are nested too deeply to be saved.
    private var isTooDeep = false
    private let cache = LazyContainerCache(keepsFirst: false)

    /// Creates contents over the encoded array `base`, which must be part of the source's data. Empty if `base` is not an array.
    init(source: FleeceSource? = nil, base: Value? = nil, isMutable: Bool) {
        self.source = source
        self.base = base?.type == .array ? base : nil
        self.isMutable = isMutable
        if source == nil { items = [] }
    }

    /// Creates contents of values that are set.
    init(_ items: [PropertyValue]) {
        self.init(isMutable: true)
        self.items = items
    }

    /// A replacement for values that are nested too deeply to be saved: saving it fails.
    static var tooDeep: ArrayContents {
        var contents = ArrayContents(isMutable: true)
        contents.isTooDeep = true
        return contents
    }

    /// Returns a mutable copy, nested containers included.
    borrowing func mutableCopy() -> ArrayContents {
        var copy = ArrayContents(source: source, base: base, isMutable: true)
        copy.items = items?.map { $0.unshared }
        (copy.isChanged, copy.isTooDeep) = (isChanged, isTooDeep)
        return copy
    }

    // MARK: Reading

    /// The number of values.
    var count: Int { items?.count ?? base?.array?.count ?? 0 }

    /// Returns the value at `index`, which must be less than ``count``.
    subscript(index: Int) -> PropertyValue {
        if let items { return items[index] }
        return base?.array?[index].map(PropertyValue.stored) ?? .null
    }

    /// All values.
    var values: [PropertyValue] {
        if let items { return items }
        guard let array = base?.array else { return [] }
        return (0..<array.count).map { array[$0].map(PropertyValue.stored) ?? .null }
    }

    /// Returns the blob or immutable container at `index`; the same object each time while it is referenced elsewhere.
    func object(at index: Int) -> PropertyObject? { cache.object(of: self[index], in: source) }

    /// Whether anything here or in a nested container differs from the stored data.
    var hasChanges: Bool {
        guard let items else { return false }
        return isChanged || base == nil || items.contains { $0.object?.hasChanges == true }
    }

    // MARK: Changing

    /// Returns what ``object(at:)`` returns, but with mutable containers. They replace the encoded ones, so that
    /// changes to them change this array.
    mutating func mutableObject(at index: Int) -> PropertyObject? {
        guard case .stored(let value) = self[index], let source, !source.isBlob(value) else { return object(at: index) }
        guard let container = source.makeMutableContainer(for: value) else { return nil }
        if items == nil { items = values }
        items?[index] = .object(container)
        return container
    }

    /// Changes the list of values.
    mutating func change(_ body: (inout [PropertyValue]) -> Void) {
        // While the list is changed it has no other owner, so it is not copied.
        var list = items.take() ?? values
        body(&list)
        items = list
        isChanged = true
    }

    mutating func append(_ value: consuming PropertyValue) {
        var list = items.take() ?? values
        // Reserving 8 items gives most arrays a single allocation, instead of one for each of the first doublings.
        if list.isEmpty { list.reserveCapacity(8) }
        list.append(value)
        items = list
        isChanged = true
    }

    // MARK: Encoding

    /// Writes the array. Unchanged values are copied in their encoded form.
    func encode(into encoder: inout Encoder, _ context: inout EncodingContext, saving save: BlobSaver) throws {
        guard let items, hasChanges else {
            guard let source, let base else {
                encoder.beginArray()
                return encoder.endArray()
            }
            return context.copy(base, of: source.data, source.sharedKeys, into: &encoder)
        }
        guard !isTooDeep else { throw FleeceError(.tooDeep) }
        try context.enter()
        encoder.beginArray()
        for item in items { try item.encode(of: source, into: &encoder, &context, saving: save) }
        encoder.endArray()
        context.leave()
    }
}
