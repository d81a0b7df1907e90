/// JSON deltas: what turns one value into another, as delta sync sends it (Storage format 10).
package enum Delta {
    /// Writes the delta that turns `old` into `new` into `encoder`; `{}` when they are equal.
    ///
    /// Numbers that are equal but of another kind, such as `1` and `1.0`, count as changed, so that the new value is
    /// reproduced as it is.
    ///
    /// - Throws: ``DeltaError`` when one of the values is damaged or nests too deep.
    package static func write(
        from old: Value,
        _ oldKeys: SharedKeys = .empty,
        to new: Value,
        _ newKeys: SharedKeys = .empty,
        into encoder: inout Encoder
    ) throws(DeltaError) {
        var comparer = DeltaComparer(old: old, oldKeys: oldKeys, new: new, newKeys: newKeys)
        if let difference = try comparer.difference(from: old, to: new, depth: 0) {
            comparer.write(difference, isRoot: true, into: &encoder)
        } else {
            encoder.beginDictionary()
            encoder.endDictionary()
        }
    }

    /// The delta that turns `old` into `new`, as JSON; `{}` when they are equal.
    package static func json(
        from old: Value,
        _ oldKeys: SharedKeys = .empty,
        to new: Value,
        _ newKeys: SharedKeys = .empty
    ) throws(DeltaError) -> [UInt8] {
        var encoder = Encoder()
        try write(from: old, oldKeys, to: new, newKeys, into: &encoder)
        do throws(FleeceError) {
            guard let delta = Value(root: try encoder.finish()) else { throw FleeceError(.badRoot) }
            return try JSON.bytes(delta)
        } catch {
            throw DeltaError(.damaged(error.reason))
        }
    }

    /// Applies `delta` to `old` and writes the result into `encoder`.
    ///
    /// - Parameters:
    ///   - deltaKeys: What the shared keys of the delta stand for; one parsed from JSON has none.
    ///   - oldKeys: What the shared keys of the old value stand for.
    ///   - oldKeysAreEncoders: Whether the encoder numbers keys by the same list, so that they can be copied as they are.
    /// - Throws: ``DeltaError``. The encoder then holds part of the result: `reset` it.
    package static func apply(
        _ delta: Value,
        _ deltaKeys: SharedKeys = .empty,
        to old: Value,
        _ oldKeys: SharedKeys = .empty,
        oldKeysAreEncoders: Bool = false,
        into encoder: inout Encoder
    ) throws(DeltaError) {
        var applier = DeltaApplier(
            delta: delta,
            deltaKeys: deltaKeys,
            old: old,
            oldKeys: oldKeys,
            oldSource: oldKeysAreEncoders ? .same : .other(oldKeys)
        )
        try applier.apply(delta, to: old, depth: 0, into: &encoder)
        if let failure = encoder.error { throw DeltaError(.damaged(failure.reason)) }
    }
}
