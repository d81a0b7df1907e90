/// A value of a container or row, for a preview.
package enum PreviewValue {
    /// Null of JSON.
    case null
    /// A boolean.
    case boolean(Bool)
    /// A number as text, and as the object that a debugger shows.
    case number(String, object: Any)
    /// A string, which is shown in quotation marks.
    case text(String)
    /// The description of an object such as a blob.
    case object(String)
    /// An array or dictionary, which is read only if it is shown.
    case container(() -> PreviewEntries)
}

/// The first properties of a dictionary, or the first elements of an array, for `print` and debuggers.
package struct PreviewEntries: CustomStringConvertible, CustomReflectable {
    /// The maximum number of properties or elements that are shown of a container.
    package static let maximumCount = 20

    private let first: [(label: String?, value: PreviewValue)]
    private let count: Int
    private let isArray: Bool

    /// - Parameters:
    ///   - first: At most ``maximumCount``. Elements of an array have no label.
    ///   - count: The number of all properties or elements.
    package init(_ first: [(label: String?, value: PreviewValue)], count: Int, isArray: Bool) {
        (self.first, self.count, self.isArray) = (first, count, isArray)
    }

    /// The preview of a dictionary. `value` is called for the keys that are shown.
    package init(keys: [String], _ value: (String) -> PreviewValue) {
        self.init(keys.prefix(Self.maximumCount).map { ($0, value($0)) }, count: keys.count, isArray: false)
    }

    /// The preview of an array. `value` is called for the indices that are shown.
    package init(count: Int, _ value: (Int) -> PreviewValue) {
        self.init((0..<min(count, Self.maximumCount)).map { (nil, value($0)) }, count: count, isArray: true)
    }

    package var description: String {
        var preview = Preview()
        preview.append(self, depth: 0)
        return preview.text
    }

    package var customMirror: Mirror {
        let children = first.map { Mirror.Child(label: $0.label, value: Preview.shown($0.value)) }
        return Mirror(self, children: children, displayStyle: isArray ? .collection : .struct)
    }

    /// A short text in a form like JSON: the beginnings of long texts and of large containers.
    private struct Preview {
        private(set) var text = ""

        /// The number of levels whose contents are shown.
        private static let maximumDepth = 3
        /// The length in bytes after which nothing more is added, except the end of what has begun.
        private static let maximumLength = 4000

        /// Returns the value as a debugger shows it: a text or a number, or the preview of anything else.
        static func shown(_ value: PreviewValue) -> Any {
            switch value {
            case .boolean(let boolean): return boolean
            case .number(_, let object): return object
            case .text(let text):
                let (shown, mark) = Appearance.shortened(text)
                return String(shown) + mark
            case .null, .object, .container:
                var preview = Preview()
                preview.append(value, depth: 1)
                return preview.text
            }
        }

        mutating func append(_ entries: PreviewEntries, depth: Int) {
            let (opening, closing) = entries.isArray ? ("[", "]") : ("{", "}")
            guard depth < Self.maximumDepth || entries.count == 0 else {
                text += "\(opening)…\(closing)"
                return
            }
            text += opening
            for (index, entry) in entries.first.enumerated() {
                if index > 0 { text += ", " }
                guard text.utf8.count < Self.maximumLength else {
                    text += "…\(closing)"
                    return
                }
                if let label = entry.label { text += Appearance.quoted(label) + ": " }
                append(entry.value, depth: depth + 1)
            }
            if entries.count > entries.first.count { text += ", … \(entries.count - entries.first.count) more" }
            text += closing
        }

        private mutating func append(_ value: PreviewValue, depth: Int) {
            switch value {
            case .null: text += "null"
            case .boolean(let boolean): text += "\(boolean)"
            case .number(let number, _): text += number
            case .text(let string): text += Appearance.quoted(string)
            case .object(let description): text += description
            case .container(let entries): append(entries(), depth: depth)
            }
        }
    }
}

/// The rows of a result: their number, and the first ones, which a debugger shows without taking them.
package struct PreviewRows: CustomStringConvertible, CustomReflectable {
    private let count: Int
    private let row: (Int) -> PreviewEntries

    /// Shows the rows of a result.
    ///
    /// - Parameter row: Returns the values of a row by its index. It is called for the first rows only, and each time they are shown.
    package init(_ count: Int, _ row: @escaping (Int) -> PreviewEntries) { (self.count, self.row) = (count, row) }

    package var description: String { "\(count)" }

    package var customMirror: Mirror {
        let rows = (0..<min(count, PreviewEntries.maximumCount)).map(row)
        return Mirror(self, unlabeledChildren: rows, displayStyle: .collection)
    }
}
