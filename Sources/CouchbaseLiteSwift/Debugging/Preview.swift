import DatabaseRuntime
import ModelCoding
import QueryEngine

// What `print` and debuggers show of containers and rows. Only what is in memory is read, and nothing is changed, not even the containers of a
// mutable document that were not read yet.

/// An object that `print` and debuggers show by its ``Appearance``.
protocol Shown: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var appearance: Appearance { get }
}

extension Shown {
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

/// A container or row that `print` and debuggers show by its first values.
protocol Previewed: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var preview: PreviewEntries { get }
}

extension Previewed {
    /// A short text for logs and debuggers.
    public var description: String { preview.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { preview.customMirror }
}

extension PropertyValue {
    /// The value for a preview; `source` is the source of stored values.
    fileprivate func previewed(in source: FleeceSource?) -> PreviewValue {
        switch resolved(in: source) {
        case .scalar(let scalar): scalar.preview
        case .object(.blob(let blob)): .object(blob.description)
        case .object(.array(let array)): .container { array.contents.preview }
        case .object(.dictionary(let dictionary)): .container { dictionary.contents.preview }
        case .stored: .null
        }
    }
}

extension DictionaryContents {
    var preview: PreviewEntries { PreviewEntries(keys: keys) { value(forKey: $0)?.previewed(in: source) ?? .null } }
}

extension ArrayContents {
    var preview: PreviewEntries { PreviewEntries(count: count) { self[$0].previewed(in: source) } }
}

extension Result: Previewed {
    var preview: PreviewEntries {
        let columns = table.titles.enumerated().prefix(PreviewEntries.maximumCount).compactMap { index, title in
            table.rows.value(row: row, column: index).map {
                (label: title as String?, value: PropertyValue.stored($0).previewed(in: table.source))
            }
        }
        return PreviewEntries(columns, count: columns.count + Swift.max(0, count - PreviewEntries.maximumCount), isArray: false)
    }
}
