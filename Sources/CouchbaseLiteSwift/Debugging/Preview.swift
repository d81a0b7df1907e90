import Fleece
import QueryEngine

/// A short text of property values for `print` and debuggers, in a form like JSON: the beginnings of long texts and of large containers.
///
/// It reads only what is in memory and changes nothing, not even the containers of a mutable document that were not read yet.
struct Preview {
    private(set) var text = ""

    /// The maximum number of properties or elements that are shown of a container.
    static let maximumCount = 20
    /// The maximum number of characters that are shown of a text.
    private static let maximumText = 100
    /// The number of levels whose contents are shown.
    private static let maximumDepth = 3
    /// The length in bytes after which nothing more is added, except the end of what has begun.
    private static let maximumLength = 4000

    /// Returns a text in quotes, without its end if it is long.
    static func quoted(_ text: String) -> String {
        let shown = text.prefix(maximumText)
        return shown.debugDescription + (shown.endIndex < text.endIndex ? "…" : "")
    }

    /// Returns the value as a debugger shows it: a text or a number, or the preview of anything else.
    static func shown(_ value: PropertyValue) -> Any {
        switch value {
        case .boolean(let boolean): return boolean
        case .string(let text):
            let shown = text.prefix(maximumText)
            return shown.endIndex < text.endIndex ? shown + "…" : text
        case .integer, .unsigned, .float, .double: return value.any
        case .null, .blob, .array, .dictionary, .stored:
            var preview = Preview()
            preview.append(value, depth: 1)
            return preview.text
        }
    }

    mutating func append(_ entries: PreviewEntries, depth: Int = 0) {
        let (opening, closing) = entries.isArray ? ("[", "]") : ("{", "}")
        guard depth < Self.maximumDepth || entries.count == 0 else {
            text += "\(opening)…\(closing)"
            return
        }
        text += opening
        var isFirst = true
        for entry in entries.first {
            if !isFirst { text += ", " }
            isFirst = false
            guard text.utf8.count < Self.maximumLength else {
                text += "…\(closing)"
                return
            }
            if let label = entry.label { text += Self.quoted(label) + ": " }
            append(entry.value, depth: depth + 1)
        }
        if entries.count > entries.first.count { text += ", … \(entries.count - entries.first.count) more" }
        text += closing
    }

    private mutating func append(_ value: PropertyValue, depth: Int) {
        switch value {
        case .null, .stored: text += "null"
        case .boolean(let boolean): text += "\(boolean)"
        case .integer(let number): text += "\(number)"
        case .unsigned(let number): text += "\(number)"
        case .float(let number): text += "\(number)"
        case .double(let number): text += "\(number)"
        case .string(let string): text += Self.quoted(string)
        case .blob(let blob): text += blob.description
        case .array(let array): append(array.contents.preview, depth: depth)
        case .dictionary(let dictionary): append(dictionary.contents.preview, depth: depth)
        }
    }
}

/// The first properties of a dictionary, or the first elements of an array, for a ``Preview``.
struct PreviewEntries {
    /// At most as many as are shown. No value is `stored`. Elements of an array have no label.
    let first: [(label: String?, value: PropertyValue)]
    /// The number of all properties or elements.
    let count: Int
    let isArray: Bool
}

extension PreviewEntries: CustomStringConvertible, CustomReflectable {
    var description: String {
        var preview = Preview()
        preview.append(self)
        return preview.text
    }

    var customMirror: Mirror {
        let children = first.map { Mirror.Child(label: $0.label, value: Preview.shown($0.value)) }
        return Mirror(self, children: children, displayStyle: isArray ? .collection : .struct)
    }
}

extension DictionaryContents {
    var preview: PreviewEntries {
        let keys = keys
        var first: [(label: String?, value: PropertyValue)] = []
        for key in keys.prefix(Preview.maximumCount) {
            first.append((key, value(forKey: key)?.resolved(in: source) ?? .null))
        }
        return PreviewEntries(first: first, count: keys.count, isArray: false)
    }
}

extension ArrayContents {
    var preview: PreviewEntries {
        var first: [(label: String?, value: PropertyValue)] = []
        for index in 0..<min(count, Preview.maximumCount) { first.append((nil, self[index].resolved(in: source))) }
        return PreviewEntries(first: first, count: count, isArray: true)
    }
}

extension Result: Previewed {
    var preview: PreviewEntries {
        let columns = table.titles.enumerated().prefix(Preview.maximumCount).compactMap { index, title in
            table.rows.value(row: row, column: index).map {
                (label: title as String?, value: PropertyValue.stored($0).resolved(in: table.source))
            }
        }
        let hidden = Swift.max(0, count - Preview.maximumCount)
        return PreviewEntries(first: columns, count: columns.count + hidden, isArray: false)
    }
}
