import Base
import Fleece

extension Writer {
    /// The shared keys of bodies, and what is known about these keys.
    struct Bodies {
        /// The keys of the file, with those that the running transaction has added.
        private(set) var keys: MutableSharedKeys
        /// A list of keys that ``keys`` is known to begin with.
        fileprivate var knownBase: SharedKeys?
        private var reservedKeys = ReservedKeyCheck()
        var privateProperties = PrivatePropertyWarnings()

        init(_ keys: MutableSharedKeys) { self.keys = keys }

        /// Forgets the keys, because the file has other ones.
        mutating func replaceKeys(with keys: MutableSharedKeys) {
            self.keys = keys
            knownBase = nil
            reservedKeys = ReservedKeyCheck()
            privateProperties.discardKeys()
        }

        /// Checks the properties of a body before it is stored, see ``ReservedKeyCheck``.
        mutating func checkReservedKeys(of body: UnsafeRawBufferPointer, documentID: String) throws(StoreError) {
            try reservedKeys.check(body, documentID: documentID, keys: keys)
        }

        /// Records properties of a body that has been stored, see ``PrivatePropertyWarnings``.
        mutating func notePrivateProperties(of body: UnsafeRawBufferPointer, documentID: String, in collection: CollectionID) {
            privateProperties.look(in: body, documentID: documentID, of: collection, keys: keys)
        }
    }

    /// See ``Bodies/keys``.
    var keys: MutableSharedKeys { guarded.bodies.keys }

    /// Makes keys added by the encoder known to the SQL functions that are called by index expressions.
    @inline(__always)
    func publishKeysToFunctions() {
        if keys.count != context.sharedKeys.count { context.evaluation.sharedKeys = keys.snapshot }
    }
}

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
        if base.count == 0 || base === guarded.bodies.knownBase { return true }
        guard keys.snapshot.keys.starts(with: base.keys, by: { $0.isExactly($1) }) else { return false }
        guarded.bodies.knownBase = base
        return true
    }
}
