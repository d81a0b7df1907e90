import Base

/// The keys under which types of models store their properties, as far as decoding sample values reveals them; see ``ModelShape``.
///
/// There is one node for each type that stores its properties under keys, so that a type that contains itself is described completely.
package struct ModelFields: Sendable {
    private struct Node: Sendable {
        /// The keys under which earlier versions of the type have stored properties.
        var formerKeys: Set<ExactString> = []
        /// The types of the keys, except those that accept every text.
        var keyTypes: [any CodingKey.Type] = []
        /// For each key that was read, the nodes of the types that were decoded for it.
        var values: [ExactString: [Int]] = [:]
        /// The nodes of nested containers, which have no types of their own.
        var containers: [ExactString: Int] = [:]
        /// The nodes of the types as which the type stores itself.
        var representations: [Int] = []
        /// Whether the properties are stored under keys.
        var isKeyed = false
        /// Whether the type reads all keys that there are, like a dictionary.
        var readsAllKeys = false
    }

    /// Where a value was decoded.
    enum Place {
        /// A value within an array or dictionary, which is not described.
        case nowhere
        /// The value of a type, or of a nested container.
        case node(Int)
        /// The value for a key, whose type is not known yet.
        case key(ExactString, of: Int)
    }

    private let formerKeys: @Sendable (Any.Type) -> [(key: String, former: [String])]
    private var nodes: [Node]
    private var typeNodes: [ObjectIdentifier: Int]
    /// The keys of the model itself that represent the ID of the document, so that the model stores nothing under them.
    private var identifiers: Set<ExactString> = []

    /// The node of the model itself.
    static let root = 0

    /// Creates the description of a model of which nothing has been decoded.
    init(of model: Any.Type, _ types: ModelTypes) {
        formerKeys = types.formerKeys
        nodes = []
        typeNodes = [:]
        _ = node(of: model)
    }

    /// Returns the node of a type.
    private mutating func node(of type: Any.Type) -> Int {
        if let known = typeNodes[ObjectIdentifier(type)] { return known }
        nodes.append(Node(formerKeys: Set(formerKeys(type).flatMap(\.former).map { ExactString($0) })))
        typeNodes[ObjectIdentifier(type)] = nodes.count - 1
        return nodes.count - 1
    }

    // MARK: Recording

    /// Records that a keyed container is opened. Returns the place within which its values are.
    mutating func open<Key: CodingKey>(_ type: Key.Type, at place: Place) -> Place {
        let node: Int
        switch place {
        case .nowhere: return .nowhere
        case .node(let known): node = known
        case .key(let key, let owner):
            node = nodes[owner].containers[key] ?? nodes.count
            if node == nodes.count {
                nodes.append(Node())
                nodes[owner].containers[key] = node
                nodes[owner].values[key, default: []].append(node)
            }
        }
        nodes[node].isKeyed = true
        if !Self.acceptsEverything(type), !nodes[node].keyTypes.contains(where: { $0 == type }) { nodes[node].keyTypes.append(type) }
        return .node(node)
    }

    /// Records that a key is read. Returns the place of its value.
    mutating func read(_ key: String, at place: Place) -> Place {
        guard case .node(let node) = place else { return .nowhere }
        let key = ExactString(key)
        if nodes[node].values[key] == nil { nodes[node].values[key] = [] }
        return .key(key, of: node)
    }

    /// Records that the list of keys is read.
    mutating func readAllKeys<Key: CodingKey>(_ type: Key.Type, at place: Place) {
        guard case .node(let node) = place, Self.acceptsEverything(type) else { return }
        nodes[node].readsAllKeys = true
    }

    /// Records that a value of a type is decoded. Returns the place of the value.
    mutating func decode(_ type: Any.Type, at place: Place) -> Place {
        if case .nowhere = place { return .nowhere }
        let node = self.node(of: type)
        switch place {
        case .nowhere: break
        case .node(let wrapper): if !nodes[wrapper].representations.contains(node) { nodes[wrapper].representations.append(node) }
        case .key(let key, let owner):
            if !nodes[owner].values[key, default: []].contains(node) { nodes[owner].values[key, default: []].append(node) }
        }
        return .node(node)
    }

    /// Records that a key of the model represents the ID of the document.
    mutating func identify(by key: String) { identifiers.insert(ExactString(key)) }

    /// Whether a type of keys accepts every text, so that it does not reveal the keys of a type.
    private static func acceptsEverything<Key: CodingKey>(_ type: Key.Type) -> Bool { Key(stringValue: "\u{1}no key\u{1}") != nil }

    // MARK: Reading

    /// Returns whether the type at one of `nodes` stores a property under `key`.
    func know(_ key: String, in nodes: [Int]) -> Bool {
        let exact = ExactString(key)
        return nodes.contains { node in
            if node == Self.root, identifiers.contains(exact) { return false }
            return self.nodes[node].values[exact] != nil || self.nodes[node].formerKeys.contains(exact)
                || self.nodes[node].keyTypes.contains { $0.init(stringValue: key) != nil }
        }
    }

    /// Returns the nodes of the value for `key` in a value with `nodes`; `nil` if it is not stored under known keys.
    func value(for key: String, in nodes: [Int]) -> [Int]? { keyed(nodes.flatMap { self.nodes[$0].values[ExactString(key)] ?? [] }) }

    /// The nodes of the model itself, which are none if it is not stored under keys; `nil` if it reads all keys that there are.
    var model: [Int]? {
        let nodes = representations(of: [Self.root])
        return nodes.contains { self.nodes[$0].readsAllKeys } ? nil : nodes.filter { self.nodes[$0].isKeyed }
    }

    private func keyed(_ values: [Int]) -> [Int]? {
        let nodes = representations(of: values)
        guard !nodes.contains(where: { self.nodes[$0].readsAllKeys }) else { return nil }
        let keyed = nodes.filter { self.nodes[$0].isKeyed }
        return keyed.isEmpty ? nil : keyed
    }

    /// Returns `nodes`, and those as which they are stored.
    private func representations(of nodes: [Int]) -> [Int] {
        var found: [Int] = []
        var waiting = nodes
        while let node = waiting.popLast() {
            guard !found.contains(node) else { continue }
            found.append(node)
            waiting += self.nodes[node].representations
        }
        return found
    }
}
