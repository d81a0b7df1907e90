/// JSON deltas, which describe how to change one value to another, as used by delta sync (Storage format 10).
public enum Delta {
    /// Writes the delta that changes `old` to `new` into `encoder`: `{}` if they are equal.
    ///
    /// Equal numbers of different types, such as `1` and `1.0`, are treated as different, so that the new value is reproduced exactly.
    ///
    /// - Throws: ``DeltaError``, if one of the values is damaged or nested too deeply.
    public static func write(
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

    /// Returns the delta that changes `old` to `new` as JSON: `{}` if they are equal.
    ///
    /// - Throws: ``DeltaError``, if one of the values is damaged or nested too deeply.
    public static func json(
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
    ///   - deltaKeys: The shared keys of the delta. A delta parsed from JSON has none.
    ///   - oldKeys: The shared keys of the old value.
    ///   - oldKeysAreEncoders: Whether the encoder uses the same shared keys as the old value, so that key numbers can be copied.
    /// - Throws: ``DeltaError``, if the delta is invalid or does not match the old value. The encoder then contains an incomplete result:
    ///   `reset` it.
    public static func apply(
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
