import Replication

/// Counts the elements of all collections that can be reached from an object: arrays, sets and dictionaries, including private ones.
/// The parts of a database are excluded, because its caches have a fixed size.
///
/// A text, a byte buffer and a closure count as one element, because a closure cannot be inspected. A message layer cannot be inspected
/// either, and counts its own elements.
struct HeldElements {
    private(set) var count = 0
    private var seen: Set<ObjectIdentifier> = []

    static func count(in object: AnyObject) -> Int {
        var held = HeldElements()
        held.visit(object)
        return held.count
    }

    private mutating func visit(_ value: Any) {
        switch value {
        case is ReplicaDatabase, is ReplicaCollection, is String, is [UInt8]: return
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .class, .foreignReference:
            guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return }
            var ancestor: Mirror? = mirror
            while let part = ancestor {
                visitChildren(of: part)
                ancestor = part.superclassMirror
            }
        case .collection, .set, .dictionary:
            // An empty element of an array does not count.
            count += mirror.children.count { !Self.isNil($0.value) }
            visitChildren(of: mirror)
        default:
            visitChildren(of: mirror)
        }
    }

    private mutating func visitChildren(of mirror: Mirror) {
        for child in mirror.children { visit(child.value) }
    }

    private static func isNil(_ value: Any) -> Bool {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .optional && mirror.children.isEmpty
    }
}
