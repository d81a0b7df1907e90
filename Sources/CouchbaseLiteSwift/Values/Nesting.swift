import Fleece

/// The nesting level at which a value of the app is being converted.
///
/// Values that are nested too deeply or contain themselves are replaced by a placeholder that cannot be saved.
struct Nesting {
    private var depth = 0
    private var objects: [ObjectIdentifier] = []

    /// Calls `convert` one level deeper.
    mutating func deeper(_ convert: (inout Nesting) -> PropertyValue) -> PropertyValue {
        guard depth < Limits.maximumDepth else { return Self.tooDeep }
        depth += 1
        defer { depth -= 1 }
        return convert(&self)
    }

    /// Calls `convert` for the values that `object` contains.
    mutating func inside(_ object: AnyObject, _ convert: (inout Nesting) -> PropertyValue) -> PropertyValue {
        let identity = ObjectIdentifier(object)
        guard !objects.contains(identity) else { return Self.tooDeep }
        objects.append(identity)
        defer { objects.removeLast() }
        return convert(&self)
    }

    private static var tooDeep: PropertyValue { .array(MutableArrayObject(.tooDeep)) }
}
