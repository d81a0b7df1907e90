/// A structure that SQLite owns between the calls of a module that create and destroy it. It starts with the part that SQLite defines, as
/// its C interface requires, followed by the object that implements it.
struct ModuleRecord<Base, Object: AnyObject> {
    private var base: Base
    /// Retained until the structure is destroyed.
    private let object: Unmanaged<Object>

    /// Creates a structure for SQLite.
    static func make(_ base: Base, _ object: Object) -> UnsafeMutablePointer<Base> {
        let memory = UnsafeMutablePointer<Self>.allocate(capacity: 1)
        memory.initialize(to: Self(base: base, object: .passRetained(object)))
        return UnsafeMutableRawPointer(memory).assumingMemoryBound(to: Base.self)
    }

    @inline(__always)
    static func object(of pointer: UnsafeMutablePointer<Base>?) -> Unmanaged<Object> {
        UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Self.self).pointee.object
    }

    static func destroy(_ pointer: UnsafeMutablePointer<Base>?) {
        object(of: pointer).release()
        UnsafeMutableRawPointer(pointer.unsafelyUnwrapped).assumingMemoryBound(to: Self.self).deallocate()
    }
}
