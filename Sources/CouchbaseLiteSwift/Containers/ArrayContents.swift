import Fleece

/// What an array holds: a stored array read in place, or once it was changed, a list of values.
///
/// Cannot be copied, so that it is used where it lies in its owner.
struct ArrayContents: ~Copyable {
    let source: FleeceSource?
    /// The stored array, a part of the source's data.
    let base: Value?
    let isMutable: Bool
    /// The values; nil as long as the stored array stands for them.
    private(set) var items: [PropertyValue]?
    /// Whether `items` differs from what is stored; not so when containers inside were only looked at.
    private var isChanged = false
    /// Whether this takes the place of values that are nested too deep to be saved.
    private var isTooDeep = false
    private let cache = LazyContainerCache(keepsFirst: false)

    /// No values.
    init(isMutable: Bool) {
        source = nil
        base = nil
        items = []
        self.isMutable = isMutable
    }

    /// The stored array `base`, which must be a part of the source's data. Empty when it is none.
    init(source: FleeceSource, base: Value?, isMutable: Bool) {
        self.source = source
        self.base = base?.type == .array ? base : nil
        self.isMutable = isMutable
    }

    /// What takes the place of values that are nested too deep to be saved: saving it fails.
    static var tooDeep: ArrayContents {
        var contents = ArrayContents(isMutable: true)
        contents.isTooDeep = true
        return contents
    }

    /// The same values, to be changed independently.
    borrowing func mutableCopy() -> ArrayContents {
        let copiedItems = items?.map { item -> PropertyValue in
            switch item {
            case .array(let array): .array(array.toMutable())
            case .dictionary(let dictionary): .dictionary(dictionary.toMutable())
            default: item
            }
        }
        guard let source else {
            var copy = ArrayContents(isMutable: true)
            copy.items = copiedItems
            copy.isTooDeep = isTooDeep
            return copy
        }
        var copy = ArrayContents(source: source, base: base, isMutable: true)
        copy.items = copiedItems
        copy.isChanged = isChanged
        return copy
    }

    // MARK: Reading

    /// How many values there are.
    var count: Int { items?.count ?? base?.array?.count ?? 0 }

    /// The value at `index`, which must be below ``count``.
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

    /// The blob or immutable container at `index`. The identical object every time, as long as somebody keeps it.
    func object(at index: Int) -> PropertyObject? {
        switch self[index] {
        case .stored(let value):
            guard let source, value.type == .array || value.type == .dictionary else { return nil }
            return cache.object(for: value, in: source)
        case .blob(let blob): return .blob(blob)
        case .array(let array): return .array(array)
        case .dictionary(let dictionary): return .dictionary(dictionary)
        default: return nil
        }
    }

    /// Whether anything differs from what is stored, here or in a container inside.
    var hasChanges: Bool {
        guard let items else { return false }
        return isChanged || base == nil
            || items.contains { item in
                switch item {
                case .array(let array): array.contents.hasChanges
                case .dictionary(let dictionary): dictionary.contents.hasChanges
                default: false
                }
            }
    }

    // MARK: Changing

    /// As ``object(at:)``, for a mutable array: containers are mutable objects, which from then on stand for the stored
    /// ones, so that changes inside them are seen here.
    mutating func mutableObject(at index: Int) -> PropertyObject? {
        guard case .stored(let value) = self[index], let source, !source.isBlob(value) else { return object(at: index) }
        let object: PropertyObject
        switch value.type {
        case .array: object = .array(MutableArrayObject(source: source, value: value))
        case .dictionary: object = .dictionary(MutableDictionaryObject(source: source, value: value))
        default: return nil
        }
        if items == nil { items = values }
        items?[index] = object.held
        return object
    }

    mutating func reserveCapacity(_ count: Int) {
        items?.reserveCapacity(count)
    }

    mutating func append(_ value: PropertyValue) {
        beginChange()
        // One block of memory for nearly all arrays, rather than one for each of the first doublings.
        if items?.isEmpty == true { items?.reserveCapacity(8) }
        items?.append(value)
    }

    mutating func set(_ value: PropertyValue, at index: Int) {
        beginChange()
        items?[index] = value
    }

    mutating func insert(_ value: PropertyValue, at index: Int) {
        beginChange()
        items?.insert(value, at: index)
    }

    mutating func remove(at index: Int) {
        beginChange()
        items?.remove(at: index)
    }

    private mutating func beginChange() {
        if items == nil { items = values }
        isChanged = true
    }

    // MARK: Encoding

    /// Writes the array. What was not changed is copied from where it lies.
    func encode(into encoder: inout Encoder, _ context: inout EncodingContext, saving save: BlobSaver) throws {
        guard let items, hasChanges else {
            guard let source, let base else {
                encoder.beginArray()
                return encoder.endArray()
            }
            return context.copy(base, of: source, into: &encoder)
        }
        guard !isTooDeep else { throw FleeceError(.tooDeep) }
        try context.enter()
        encoder.beginArray()
        for item in items { try item.encode(of: source, into: &encoder, &context, saving: save) }
        encoder.endArray()
        context.leave()
    }
}
