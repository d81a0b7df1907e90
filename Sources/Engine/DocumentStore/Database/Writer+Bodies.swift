import Base
import Fleece

/// Bodies that were encoded before the transaction that stores them.
extension Writer {
    /// Returns the bytes of `body` with the key numbers of this file, in memory that is valid until the next save.
    ///
    /// - Throws: `FleeceError` if the body cannot be encoded.
    func adopt(_ body: EncodedBody) throws(FleeceError) -> UnsafeRawBufferPointer {
        if body.keys.count == body.baseCount || hasSameNumbers(body.keys.snapshot, above: body.baseCount) { return body.bytes }
        guard let root = Value(root: body.bytes) else { throw FleeceError(.badRoot) }
        return try encode(root, body.keys.snapshot)
    }

    /// Returns the bytes of `body` with the key numbers of this file, in memory that is valid until the next save, and at most as long as
    /// `body`.
    ///
    /// - Throws: `FleeceError` if the body cannot be encoded.
    func adopt(_ body: OwnedBody) throws(FleeceError) -> UnsafeRawBufferPointer {
        if let base = body.base, hasKeys(beginningWith: base),
            body.keys.count == base.count || hasSameNumbers(body.keys, above: base.count)
        {
            return body.data.bytes
        }
        let bytes = try body.data.withRoot { root throws(FleeceError) in try encode(root, body.keys) }
        guard let bytes else { throw FleeceError(.badRoot) }
        return bytes
    }

    private func encode(_ root: Value, _ keys: SharedKeys) throws(FleeceError) -> UnsafeRawBufferPointer {
        encoder.reset()
        encoder.write(root, keys: .other(keys))
        return try encoder.finish()
    }

    /// Adds the keys of a body above the first `baseCount`, and returns whether they get the same numbers as in the body.
    private func hasSameNumbers(_ bodyKeys: SharedKeys, above baseCount: Int) -> Bool {
        let added = bodyKeys.keys[baseCount...]
        return zip(added.indices, added).allSatisfy { number, key in
            var key = key
            return key.withUTF8 { keys.number(of: UnsafeRawBufferPointer($0)) } == number
        }
    }

    /// Returns whether the writer's keys begin with `base`. This is the case unless keys were removed by a rollback. The result for one
    /// list is cached as long as keys are only added.
    private func hasKeys(beginningWith base: SharedKeys) -> Bool {
        if base.count == 0 || base === knownBase { return true }
        guard keys.snapshot.keys.starts(with: base.keys, by: { $0.isExactly($1) }) else { return false }
        knownBase = base
        return true
    }
}
