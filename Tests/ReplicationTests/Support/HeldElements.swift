import Replication

/// Counts what collections hold that can be reached from an object, whatever they are called: arrays, sets and dictionaries, also
/// private ones. What a database is made of is left out, for that has caches of a fixed size.
///
/// Texts and bytes count as one, and so does a closure, into which nobody can look; nor can anybody into a message layer, which counts by
/// itself.
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
            // An empty place in an array is none.
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
