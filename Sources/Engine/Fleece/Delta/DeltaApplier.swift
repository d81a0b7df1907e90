/// Applies a delta to an old value (Storage format 10, "apply").
struct DeltaApplier {
    private let deltaKeys: SharedKeys
    private let oldKeys: SharedKeys
    private let oldSource: Encoder.SourceKeys
    private var deltaBudget: ValueBudget
    private var oldBudget: ValueBudget

    init(delta: Value, deltaKeys: SharedKeys, old: Value, oldKeys: SharedKeys, oldSource: Encoder.SourceKeys) {
        self.deltaKeys = deltaKeys
        self.oldKeys = oldKeys
        self.oldSource = oldSource
        deltaBudget = ValueBudget(for: delta)
        oldBudget = ValueBudget(for: old)
    }

    /// Writes the result of applying `delta` to `old`, which is `nil` if a member is inserted.
    mutating func apply(_ delta: Value, to old: Value?, depth: Int, into encoder: inout Encoder) throws(DeltaError) {
        guard depth <= Limits.maximumDepth else { throw DeltaError(.tooDeep) }
        guard deltaBudget.consume() else { throw DeltaError(.damaged(.tooManyValues)) }
        switch delta.type {
        case .array:
            guard let change = delta.array else { throw DeltaError(.damaged(.truncated)) }
            try apply(change, to: old, into: &encoder)
        case .dictionary:
            guard let changes = delta.dictionary else { throw DeltaError(.damaged(.truncated)) }
            guard let old else { throw DeltaError(.nothingToChange) }
            try apply(changes, to: old, depth: depth + 1, into: &encoder)
        default:
            encoder.write(delta, keys: .other(deltaKeys), budget: &deltaBudget)
        }
    }

    private mutating func copy(_ old: Value, into encoder: inout Encoder) {
        encoder.write(old, keys: oldSource, budget: &oldBudget)
    }

    // MARK: Replacement, deletion, text edit

    private mutating func apply(_ change: ArrayValue, to old: Value?, into encoder: inout Encoder) throws(DeltaError) {
        if isDeletion(change) { throw DeltaError(.nothingToDelete) }
        switch change.count {
        case 1, 2:
            guard let value = change[change.count - 1] else { throw DeltaError(.damaged(.badPointer)) }
            encoder.write(value, keys: .other(deltaKeys), budget: &deltaBudget)
        case 3:
            guard isInteger(change[1], 0), isInteger(change[2], 2), let edit = change[0]?.stringBytes else { throw DeltaError(.badForm) }
            guard let text = old?.stringBytes else { throw DeltaError(.notText) }
            guard oldBudget.consume(bytes: text.count) else { throw DeltaError(.damaged(.tooManyValues)) }
            guard let edited = TextDelta.apply(edit, to: text) else { throw DeltaError(.badTextEdit) }
            edited.withUnsafeBytes { encoder.write(utf8: $0) }
        default:
            throw DeltaError(.badForm)
        }
    }

    /// Returns whether a delta is a deletion: `[]`, or `[old,0,0]`.
    private func isDeletion(_ change: ArrayValue) -> Bool {
        change.count == 0 || change.count == 3 && isInteger(change[1], 0) && isInteger(change[2], 0)
    }

    private func isDeletion(_ delta: Value) -> Bool { delta.array.map(isDeletion) ?? false }

    private func isInteger(_ value: Value?, _ number: Int64) -> Bool { value?.integerBits == number }

    // MARK: Members and items

    private mutating func apply(_ changes: DictionaryValue, to old: Value, depth: Int, into encoder: inout Encoder) throws(DeltaError) {
        guard deltaBudget.consume(changes.overlayCost + changes.pairCount) else { throw DeltaError(.damaged(.tooManyValues)) }
        if let object = old.dictionary {
            try apply(changes, toMembersOf: object, depth: depth, into: &encoder)
        } else if changes.pairCount == 0 {
            copy(old, into: &encoder)
        } else if let array = old.array {
            try apply(changes, toItemsOf: array, depth: depth, into: &encoder)
        } else {
            throw DeltaError(.nothingToChange)
        }
    }

    private mutating func apply(
        _ changes: DictionaryValue,
        toMembersOf old: DictionaryValue,
        depth: Int,
        into encoder: inout Encoder
    ) throws(DeltaError) {
        guard oldBudget.consume(old.overlayCost) else { throw DeltaError(.damaged(.tooManyValues)) }
        encoder.beginDictionary()
        for (key, value) in old.pairs {
            let change = oldKeys.withText(of: key) { changes.value(for: $0, sharedKeys: deltaKeys) }
            if let change, isDeletion(change) { continue }
            encoder.copyKey(key, from: oldSource)
            if let change {
                do throws(DeltaError) {
                    try apply(change, to: value, depth: depth, into: &encoder)
                } catch {
                    throw error.inside(key.text(oldKeys) ?? "?")
                }
            } else {
                copy(value, into: &encoder)
            }
        }
        for (key, change) in changes.pairs {
            let exists = deltaKeys.withText(of: key) { old.value(for: $0, sharedKeys: oldKeys) } != nil
            if exists { continue }
            encoder.copyKey(key, from: .other(deltaKeys))
            do throws(DeltaError) {
                try apply(change, to: nil, depth: depth, into: &encoder)
            } catch {
                throw error.inside(key.text(deltaKeys) ?? "?")
            }
        }
        encoder.endDictionary()
    }

    private mutating func apply(
        _ changes: DictionaryValue,
        toItemsOf old: ArrayValue,
        depth: Int,
        into encoder: inout Encoder
    ) throws(DeltaError) {
        var itemChanges: [Int: Value] = [:]
        var rest: (from: Int, value: Value)?
        for (key, change) in changes.pairs {
            guard let index = deltaKeys.withText(of: key, ItemKey.init) else {
                throw DeltaError(.badIndex).inside(key.text(deltaKeys) ?? "?")
            }
            if index.isRest {
                // With two such keys, the later part would never be used.
                guard rest == nil, index.number <= old.count else { throw DeltaError(.badIndex).inside(index.text) }
                rest = (index.number, change)
            } else {
                itemChanges[index.number] = change
            }
        }
        let kept = rest?.from ?? old.count
        if let beyond = itemChanges.keys.first(where: { $0 >= kept }) { throw DeltaError(.badIndex).inside(String(beyond)) }
        encoder.beginArray()
        for index in 0..<kept {
            guard oldBudget.consume(), let item = old[index] else { throw DeltaError(.damaged(.badPointer)) }
            guard let change = itemChanges[index] else {
                copy(item, into: &encoder)
                continue
            }
            if isDeletion(change) {
                encoder.writeUndefined()
                continue
            }
            do throws(DeltaError) {
                try apply(change, to: item, depth: depth, into: &encoder)
            } catch {
                throw error.inside(String(index))
            }
        }
        if let rest {
            guard let items = rest.value.array else { throw DeltaError(.badRest).inside("\(rest.from)-") }
            for index in 0..<items.count {
                guard let item = items[index] else { throw DeltaError(.damaged(.badPointer)) }
                encoder.write(item, keys: .other(deltaKeys), budget: &deltaBudget)
            }
        }
        encoder.endArray()
    }
}

/// A key that addresses an item of an array, such as `"3"`, or the rest of the array from an item on, such as `"7-"`.
private struct ItemKey {
    let number: Int
    let isRest: Bool

    /// Parses a key. `nil` unless it is a decimal number in its usual form, so that no two keys mean the same.
    init?(_ text: UnsafeRawBufferPointer) {
        let digits = text.last == UInt8(ascii: "-") ? text.dropLast() : text[...]
        // A value cannot contain so many items that ten digits are not enough.
        guard !digits.isEmpty, digits.count <= 10, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        var number = 0
        for byte in digits {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        self.number = number
        isRest = digits.count < text.count
    }

    var text: String { isRest ? "\(number)-" : "\(number)" }
}
