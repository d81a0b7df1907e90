import Base

/// A path into a JSON value: keys of dictionaries and indexes of arrays (Query 1.4).
///
/// The encoded form is `name.first[0]`. A backslash escapes the next character, so a key with a dot in it is written `we\.ird`. ``encoded``
/// always returns the canonical form, because SQLite uses an index only if its text is identical.
package struct PropertyPath: Sendable, Hashable {
    /// One step of a path.
    package enum Component: Sendable, Hashable {
        /// A key of a dictionary, compared by its bytes.
        case key(String)
        /// An array index; −1 is the last element.
        case index(Int)

        /// Keys are equal if their bytes are equal.
        package static func == (left: Component, right: Component) -> Bool {
            switch (left, right) {
            case (.key(let left), .key(let right)): left.isExactly(right)
            case (.index(let left), .index(let right)): left == right
            case (.key, .index), (.index, .key): false
            }
        }

        package func hash(into hasher: inout Hasher) {
            switch self {
            case .key(let key): hasher.combine(ExactString(key))
            case .index(let index): hasher.combine(index)
            }
        }
    }

    /// The steps from the source or document to the property; none for the whole document.
    package var components: [Component]

    /// Whether the operand of `_.` in a JSON query was written without a dot at its start. The SQL of an index preserves this difference
    /// (Query 5.12), which has no effect on the value. Paths are equal regardless of it.
    package var lacksDot = false

    /// Whether the path is written as `*` or `source.*`: the properties of a document rather than the document. This has no effect on the
    /// value; tables show each property in a column of its own. Paths are equal regardless of it.
    package var isStar = false

    package init(_ components: [Component] = []) { self.components = components }

    package static func == (left: PropertyPath, right: PropertyPath) -> Bool { left.components == right.components }

    package func hash(into hasher: inout Hasher) { hasher.combine(components) }

    /// Whether the path has no steps, so that it names the whole document.
    package var isEmpty: Bool { components.isEmpty }

    /// The first component if it is a key.
    package var firstKey: String? {
        if case .key(let key)? = components.first { key } else { nil }
    }

    /// The key if the path consists of that key only.
    package var onlyKey: String? { components.count == 1 ? firstKey : nil }

    /// The last component if it is a key.
    package var lastKey: String? {
        if case .key(let key)? = components.last { key } else { nil }
    }

    /// Returns the path without its first steps; the empty path if there are no more.
    package func dropFirst(_ count: Int = 1) -> PropertyPath { PropertyPath(Array(components.dropFirst(count))) }
}

extension PropertyPath {
    /// The encoded form of a path that is applied to the value of an expression, with the dot at its start unless it ``lacksDot``.
    package var encodedStep: String { lacksDot ? encoded : "." + encoded }
}

extension PropertyPath: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: Component...) { self.init(elements) }
}

// MARK: - The encoded form

extension PropertyPath {
    /// Parses an encoded path. One leading and one trailing dot are allowed and ignored; `""` and `"."` are the empty path.
    ///
    /// - Throws: ``QueryError`` for an empty name, a backslash at the end, an index that is not a number, or an index followed by a name
    ///   without a dot.
    package init(encoded text: String) throws(QueryError) {
        func malformed(_ reason: String) -> QueryError { QueryError.invalidQuery("invalid property path '\(text)': \(reason)") }
        var rest = text.unicodeScalars[...]
        if rest.first == "." { rest.removeFirst() }
        components = []
        var name = String.UnicodeScalarView()
        // What may precede a dot or the end: the start of a name, or an index.
        var nameHasBegun = false
        var followsIndex = false
        while let scalar = rest.popFirst() {
            switch scalar {
            case ".":
                if nameHasBegun {
                    components.append(.key(String(name)))
                } else if !followsIndex {
                    throw malformed("empty name")
                }
                name = String.UnicodeScalarView()
                nameHasBegun = false
                followsIndex = false
            case "[":
                if nameHasBegun { components.append(.key(String(name))) }
                name = String.UnicodeScalarView()
                nameHasBegun = false
                guard let end = rest.firstIndex(of: "]") else { throw malformed("missing ']'") }
                guard let index = Self.index(from: rest[..<end]) else { throw malformed("invalid array index") }
                components.append(.index(index))
                rest = rest[rest.index(after: end)...]
                followsIndex = true
            default:
                if followsIndex { throw malformed("a name must follow a dot") }
                nameHasBegun = true
                if scalar == "\\" {
                    guard let escaped = rest.popFirst() else { throw malformed("trailing backslash") }
                    name.append(escaped)
                } else {
                    name.append(scalar)
                }
            }
        }
        if nameHasBegun { components.append(.key(String(name))) }
    }

    private static func index(from digits: Substring.UnicodeScalarView) -> Int? {
        let unsigned = digits.first == "-" ? digits.dropFirst() : digits
        guard !unsigned.isEmpty, unsigned.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return Int(String(digits))
    }

    /// The canonical encoded form without a leading dot, as used in SQL text.
    package var encoded: String {
        var text = ""
        for component in components {
            switch component {
            case .index(let index):
                text += "[\(index)]"
            case .key(let key):
                if !text.isEmpty { text += "." }
                for scalar in key.unicodeScalars {
                    let needsEscape =
                        scalar == "." || scalar == "[" || scalar == "\\" || (scalar == "$" && text.isEmpty)
                    if needsEscape { text += "\\" }
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}

extension PropertyPath: CustomStringConvertible {
    package var description: String { encoded }
}
