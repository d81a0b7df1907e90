import Fleece

/// How deep inside values of the app a conversion is.
///
/// What no document may hold, because it is nested too deep or contains itself, is not followed: something takes its place that
/// cannot be saved.
struct Nesting {
    private var depth = 0
    private var objects: [ObjectIdentifier] = []

    /// Runs `convert` one level deeper.
    mutating func deeper(_ convert: (inout Nesting) -> PropertyValue) -> PropertyValue {
        guard depth < Limits.maximumDepth else { return Self.tooDeep }
        depth += 1
        defer { depth -= 1 }
        return convert(&self)
    }

    /// Runs `convert` for what `object` contains.
    mutating func inside(_ object: AnyObject, _ convert: (inout Nesting) -> PropertyValue) -> PropertyValue {
        let identity = ObjectIdentifier(object)
        guard !objects.contains(identity) else { return Self.tooDeep }
        objects.append(identity)
        defer { objects.removeLast() }
        return convert(&self)
    }

    private static var tooDeep: PropertyValue { .array(MutableArrayObject(.tooDeep)) }
}
