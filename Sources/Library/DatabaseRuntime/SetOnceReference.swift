public import Synchronization

/// A reference to an object that is set once, by whichever thread is first.
///
/// Like `AtomicLazyReference` of the standard library, whose functions are not inlined: each call looks up generic metadata, which took a
/// twentieth of the time of reading a document.
@frozen
public struct SetOnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
    /// The address of the object, which is retained; 0 if none is set.
    @usableFromInline
    let address = Atomic<UInt>(0)

    @inlinable
    public init() {}

    @inlinable
    deinit { Self.reference(address.load(ordering: .acquiring))?.release() }

    /// Returns the object; `nil` if none is set.
    @inlinable @inline(__always)
    public func load() -> Object? {
        // Not released before the owner of this value is.
        Self.reference(address.load(ordering: .acquiring))?.takeUnretainedValue()
    }

    /// Sets the object if none is set, and returns the one that is set afterwards.
    @inlinable
    public func storeIfNil(_ object: Object) -> Object {
        let new = Unmanaged.passRetained(object)
        let desired = UInt(bitPattern: new.toOpaque())
        let (exchanged, original) = address.compareExchange(expected: 0, desired: desired, ordering: .acquiringAndReleasing)
        guard !exchanged, let first = Self.reference(original) else { return object }
        new.release()
        return first.takeUnretainedValue()
    }

    @inlinable @inline(__always)
    static func reference(_ address: UInt) -> Unmanaged<Object>? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
    }
}
