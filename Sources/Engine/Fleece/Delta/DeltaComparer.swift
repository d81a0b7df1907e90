/// Determines the differences between two values and writes them as a delta (Storage format 10, "create").
struct DeltaComparer {
    private let oldKeys: SharedKeys
    private let newKeys: SharedKeys
    private var budget: ValueBudget

    init(old: Value, oldKeys: SharedKeys, new: Value, newKeys: SharedKeys) {
        self.oldKeys = oldKeys
        self.newKeys = newKeys
        budget = ValueBudget(for: old.end > new.end ? old : new)
    }

    /// The change of a value.
    indirect enum Difference {
        case replacement(Value)
        case deletion
        case textEdit([UInt8])
        /// Changes to the members of an object, by the text of their keys.
        case members([(key: [UInt8], difference: Difference)])
        /// Changes to the items of an array. If the lengths differ, also the new items from an index on.
        case items([(index: Int, difference: Difference)], rest: (from: Int, items: ArrayValue)?)
    }

    /// New strings with fewer bytes than this are sent completely (Storage format 10).
    private static let shortestEditedText = 60

    /// Returns the difference, or `nil` if the values are equal.
    mutating func difference(from old: Value, to new: Value, depth: Int) throws(DeltaError) -> Difference? {
        guard budget.consume() else { throw DeltaError(.damaged(.tooManyValues)) }
        guard depth <= Limits.maximumDepth else { throw DeltaError(.tooDeep) }
        if let oldDictionary = old.dictionary, let newDictionary = new.dictionary {
            return try difference(from: oldDictionary, to: newDictionary, depth: depth)
        }
        if let oldArray = old.array, let newArray = new.array, oldArray.count > 0, newArray.count > 0 {
            return try difference(from: oldArray, to: newArray, depth: depth)
        }
        if let oldText = old.stringBytes, let newText = new.stringBytes {
            guard budget.consume(bytes: newText.count) else { throw DeltaError(.damaged(.tooManyValues)) }
            if compareBytes(oldText, newText) == 0 { return nil }
            guard newText.count >= Self.shortestEditedText,
                let edit = TextDelta.edit(from: oldText, to: newText), edit.count + 6 < newText.count
            else { return .replacement(new) }
            return .textEdit(edit)
        }
        return areEqualLeaves(old, new) ? nil : .replacement(new)
    }

    private func areEqualLeaves(_ old: Value, _ new: Value) -> Bool {
        guard old.type == new.type else { return false }
        if old.type == .number { return old.isInteger == new.isInteger && ValueComparison.areEqualNumbers(old, new) }
        // Arrays are only compared here if one of them is empty.
        if let oldArray = old.array, let newArray = new.array { return oldArray.count == newArray.count }
        return ValueComparison.areEqual(old, oldKeys, new, newKeys)
    }

    private mutating func difference(from old: DictionaryValue, to new: DictionaryValue, depth: Int) throws(DeltaError) -> Difference? {
        guard budget.consume(old.overlayCost + new.overlayCost + old.pairCount + new.pairCount) else {
            throw DeltaError(.damaged(.tooManyValues))
        }
        var changes: [(key: [UInt8], difference: Difference)] = []
        for (key, newValue) in new.pairs {
            let text = try self.text(of: key, newKeys)
            let oldValue = text.withUnsafeBytes { old.value(for: $0, sharedKeys: oldKeys) }
            guard let oldValue else {
                changes.append((text, .replacement(newValue)))
                continue
            }
            do throws(DeltaError) {
                if let change = try difference(from: oldValue, to: newValue, depth: depth + 1) { changes.append((text, change)) }
            } catch {
                throw error.inside(String(decoding: text, as: UTF8.self))
            }
        }
        for (key, _) in old.pairs {
            let text = try self.text(of: key, oldKeys)
            if text.withUnsafeBytes({ new.value(for: $0, sharedKeys: newKeys) }) == nil { changes.append((text, .deletion)) }
        }
        return changes.isEmpty ? nil : .members(changes)
    }

    private func text(of key: DictionaryKey, _ sharedKeys: SharedKeys) throws(DeltaError) -> [UInt8] {
        if case .shared(let number) = key, number >= sharedKeys.count { throw DeltaError(.damaged(.unknownSharedKey(number))) }
        return sharedKeys.withText(of: key) { [UInt8]($0) }
    }

    private mutating func difference(from old: ArrayValue, to new: ArrayValue, depth: Int) throws(DeltaError) -> Difference? {
        var changes: [(index: Int, difference: Difference)] = []
        let shared = min(old.count, new.count)
        for index in 0..<shared {
            guard let oldItem = old[index], let newItem = new[index] else { throw DeltaError(.damaged(.badPointer)) }
            do throws(DeltaError) {
                if let change = try difference(from: oldItem, to: newItem, depth: depth + 1) { changes.append((index, change)) }
            } catch {
                throw error.inside(String(index))
            }
        }
        if old.count != new.count { return .items(changes, rest: (shared, new)) }
        return changes.isEmpty ? nil : .items(changes, rest: nil)
    }

    // MARK: Writing

    /// Writes a difference in the format of Storage format 10.
    mutating func write(_ difference: Difference, isRoot: Bool, into encoder: inout Encoder) {
        switch difference {
        case .replacement(let value):
            // A scalar that is not at the root is written directly. All other values are wrapped in an array, to distinguish them from
            // deltas.
            let isBare = !isRoot && value.type != .array && value.type != .dictionary
            if !isBare { encoder.beginArray() }
            encoder.write(value, keys: .other(newKeys), budget: &budget)
            if !isBare { encoder.endArray() }
        case .deletion:
            encoder.beginArray()
            encoder.endArray()
        case .textEdit(let edit):
            encoder.beginArray()
            edit.withUnsafeBytes { encoder.write(utf8: $0) }
            encoder.write(unsigned: 0)
            encoder.write(unsigned: 2)
            encoder.endArray()
        case .members(let changes):
            encoder.beginDictionary()
            for (key, change) in changes {
                key.withUnsafeBytes { encoder.writeKey(utf8: $0) }
                write(change, isRoot: false, into: &encoder)
            }
            encoder.endDictionary()
        case .items(let changes, let rest):
            encoder.beginDictionary()
            for (index, change) in changes {
                encoder.writeKey(String(index))
                write(change, isRoot: false, into: &encoder)
            }
            if let rest {
                encoder.writeKey("\(rest.from)-")
                encoder.beginArray()
                for index in rest.from..<rest.items.count {
                    guard let item = rest.items[index] else {
                        encoder.fail(.badPointer)
                        break
                    }
                    encoder.write(item, keys: .other(newKeys), budget: &budget)
                }
                encoder.endArray()
            }
            encoder.endDictionary()
        }
    }
}
