import ExactStrings

/// The properties of a message: strings by name, in the order in which they were set (Replication 2.4).
package struct Properties: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// All properties, in order.
    package private(set) var pairs: [(name: String, value: String)]

    package init() {
        pairs = []
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        pairs = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Creates properties from pairs, in this order. Names must be unique.
    package init(pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    /// The value of a property. Names are unique: setting an existing one replaces its value.
    package subscript(_ name: String) -> String? {
        get { pairs.first { $0.name.isExactly(name) }?.value }
        set {
            let index = pairs.firstIndex { $0.name.isExactly(name) }
            switch (index, newValue) {
            case (let index?, let value?): pairs[index].value = value
            case (let index?, nil): pairs.remove(at: index)
            case (nil, let value?): pairs.append((name, value))
            case (nil, nil): break
            }
        }
    }

    package static func == (left: Properties, right: Properties) -> Bool {
        left.pairs.elementsEqual(right.pairs) { $0.name.isExactly($1.name) && $0.value.isExactly($1.value) }
    }
}
