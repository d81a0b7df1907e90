import Fleece

extension DictionaryContents {
    /// The values of `data`, converted.
    init(_ data: [String: Any]?) {
        self.init(isMutable: true)
        guard let data else { return }
        reserveCapacity(data.count)
        for (key, value) in data { set(HeldValue(value), forKey: key) }
    }

    /// The values as plain Swift ones.
    var plain: [String: Any] {
        var plain: [String: Any] = [:]
        for key in keys { plain[key] = value(forKey: key)?.resolved(in: source).plain }
        return plain
    }

    func isEqual(to other: borrowing DictionaryContents) -> Bool {
        guard count == other.count else { return false }
        for key in keys {
            guard let value = value(forKey: key), let otherValue = other.value(forKey: key) else { return false }
            guard value.resolved(in: source).isEqual(to: otherValue.resolved(in: other.source)) else { return false }
        }
        return true
    }

    /// The order of keys is no part of a dictionary's value.
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

    /// Whether `object` is among the containers held here, however deep.
    func holds(_ object: AnyObject) -> Bool {
        changes.entries.contains { $0.value?.holds(object) ?? false }
    }

    func checkBlobs(belongTo database: Database) {
        source?.checkBlobs(in: base, belongTo: database)
        // In place: a loop over copies would count references to every key and value.
        changes.entries.withUnsafeBufferPointer { entries in
            for place in entries.indices { entries[place].value?.checkBlobs(belongTo: database) }
        }
    }
}

extension ArrayContents {
    /// The values of `data`, converted.
    init(_ data: [Any]?) {
        self.init(isMutable: true)
        guard let data else { return }
        reserveCapacity(data.count)
        for value in data { append(HeldValue(value)) }
    }

    /// The values as plain Swift ones.
    var plain: [Any] { values.map { $0.resolved(in: source).plain } }

    func isEqual(to other: borrowing ArrayContents) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count {
            let value = self[index].resolved(in: source)
            guard value.isEqual(to: other[index].resolved(in: other.source)) else { return false }
        }
        return true
    }

    func hash(into hasher: inout Hasher) {
        for value in values { value.resolved(in: source).hash(into: &hasher) }
    }

    /// Whether `object` is among the containers held here, however deep.
    func holds(_ object: AnyObject) -> Bool {
        items?.contains { $0.holds(object) } ?? false
    }

    func checkBlobs(belongTo database: Database) {
        source?.checkBlobs(in: base, belongTo: database)
        for value in items ?? [] { value.checkBlobs(belongTo: database) }
    }
}

extension HeldValue {
    /// A container that came to hold itself could neither be saved nor compared: a misuse.
    func mustNotContain(_ object: AnyObject) {
        if holds(object) { _CBLMisuse.invalidArgument("A dictionary or array cannot be set inside itself.") }
    }

    func holds(_ object: AnyObject) -> Bool {
        switch self {
        case .array(let array): array === object || array.contents.holds(object)
        case .dictionary(let dictionary): dictionary === object || dictionary.contents.holds(object)
        default: false
        }
    }

    func checkBlobs(belongTo database: Database) {
        switch self {
        case .blob(let blob): blob.checkDatabase(database)
        case .array(let array): array.contents.checkBlobs(belongTo: database)
        case .dictionary(let dictionary): dictionary.contents.checkBlobs(belongTo: database)
        default: break
        }
    }
}
