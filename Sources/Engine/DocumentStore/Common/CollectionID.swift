/// The names of a collection and its scope.
package struct CollectionID: Hashable, Sendable {
    /// The name of the default scope, and of the default collection in it.
    package static let defaultName = "_default"
    /// The collection that always exists.
    package static let `default` = CollectionID(unchecked: defaultName, scope: defaultName)

    /// The name of the scope. Names are compared by their bytes.
    package let scope: String
    /// The name of the collection, without that of the scope.
    package let name: String

    private init(unchecked name: String, scope: String) { (self.name, self.scope) = (name, scope) }

    /// - Throws: `invalidCollectionName` if either name is invalid (Storage format 2.4).
    package init(name: String, scope: String = defaultName) throws(StoreError) {
        guard name != Self.defaultName || scope == Self.defaultName else { throw .invalidCollectionName(name) }
        for part in [scope, name] where part != Self.defaultName && !Self.isValid(part) {
            throw .invalidCollectionName(part)
        }
        self.init(unchecked: name, scope: scope)
    }

    /// Parses the name of a document store as in `kvmeta` and `indexes`: `default`, `.people`, `.travel.hotels`. Returns `nil` for any
    /// other name.
    package init?(storeName: String) {
        if storeName == "default" {
            self = .default
            return
        }
        guard storeName.hasPrefix(".") else { return nil }
        let parts = storeName.dropFirst().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        // Tables with other names are not accessible as collections.
        guard parts.allSatisfy(Self.isValid) else { return nil }
        switch parts.count {
        case 1: self.init(unchecked: parts[0], scope: Self.defaultName)
        case 2: self.init(unchecked: parts[1], scope: parts[0])
        default: return nil
        }
    }

    /// Whether this is the default collection of the default scope.
    package var isDefault: Bool { self == .default }

    /// The text `scope.collection`.
    package var fullName: String { "\(scope).\(name)" }

    /// The unmangled name of the document store (Storage format 2.4).
    package var storeName: String {
        if isDefault { return "default" }
        return scope == Self.defaultName ? ".\(name)" : ".\(scope).\(name)"
    }

    private static func isValid(_ name: String) -> Bool {
        let utf8 = name.utf8
        guard let first = utf8.first, utf8.count <= 251, first != UInt8(ascii: "_"), first != UInt8(ascii: "%") else { return false }
        return utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "%"):
                true
            default: false
            }
        }
    }
}

extension CollectionID: Comparable {
    package static func < (left: CollectionID, right: CollectionID) -> Bool { (left.scope, left.name) < (right.scope, right.name) }
}
