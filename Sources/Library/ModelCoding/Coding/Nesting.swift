package import DatabaseRuntime
import Fleece
import Foundation

/// The nesting level at which a value of the app is being converted, and why it cannot be stored.
///
/// Values that are nested too deeply or contain themselves are replaced by a placeholder that cannot be saved.
package struct Nesting {
    private var depth = 0
    private var objects: [ObjectIdentifier] = []
    /// Why the first value that cannot be stored cannot be.
    package private(set) var misuse: Misuse?

    package init() {}

    /// Records that a value cannot be stored.
    package mutating func refuse(_ misuse: Misuse) { if self.misuse == nil { self.misuse = misuse } }

    /// Enters an array or dictionary, which ``leave()`` leaves. Returns `false`, without entering it, if it is nested too deeply.
    package mutating func enter() -> Bool {
        guard depth < Limits.maximumDepth else { return false }
        depth += 1
        return true
    }

    /// Leaves the container that was entered last.
    package mutating func leave() { depth -= 1 }

    /// Returns `any` if it is an object that may contain itself.
    package static func foundationContainer(_ any: Any) -> AnyObject? {
        let dynamicType = type(of: any)
        if dynamicType is NSArray.Type { return any as? NSArray }
        if dynamicType is NSDictionary.Type { return any as? NSDictionary }
        return nil
    }

    /// Begins to convert what an object contains, until ``endLast()``. Returns `false` if it is being converted already.
    package mutating func begin(_ object: AnyObject) -> Bool {
        let identity = ObjectIdentifier(object)
        guard !objects.contains(identity) else { return false }
        objects.append(identity)
        return true
    }

    /// Ends the conversion of the object that was begun last.
    package mutating func endLast() { objects.removeLast() }
}
