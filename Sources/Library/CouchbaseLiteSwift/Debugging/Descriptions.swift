import DatabaseRuntime
import ModelCoding
import QueryEngine

// What `print` and debuggers show of the objects of a database. Nothing here reads from disk, and nothing is changed, not even the containers
// of a mutable document that were not read yet.

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

extension Database: Shown {
    var appearance: Appearance { Appearance("Database", ["name": name, "path": path ?? "closed"]) }
}

extension Scope: Shown {
    var appearance: Appearance { Appearance("Scope", ["name": name, "database": database.name]) }
}

extension Collection: Shown {
    var appearance: Appearance { Appearance("Collection", ["name": fullName, "database": database.name]) }
}

extension QueryIndex: Shown {
    var appearance: Appearance { Appearance("QueryIndex", ["name": name, "collection": collection.fullName]) }
}

extension Blob: Shown {
    var appearance: Appearance {
        let (digest, length) = shared.withState { ($0.digest, $0.length) }
        return Appearance("Blob", ["contentType": contentType, "length": length, "digest": digest])
    }
}

extension Document: Shown {
    var appearance: Appearance {
        Appearance(
            self is MutableDocument ? "MutableDocument" : "Document",
            ["id": id, "revisionID": revisionID, "sequence": sequence, "collection": collection?.fullName, "properties": contents.preview]
        )
    }
}

extension DictionaryObject: Shown {
    var appearance: Appearance { Appearance(contents.preview) }
}

extension ArrayObject: Shown {
    var appearance: Appearance { Appearance(contents.preview) }
}

extension ResultSet: Shown {
    var appearance: Appearance {
        let rows = PreviewRows(table.rows.count) { [table] in Result($0, of: table).preview }
        return Appearance("ResultSet", ["columns": table.titles, "rows": rows])
    }
}

extension Query: CustomDebugStringConvertible, CustomReflectable {
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { Appearance("Query", ["query": description]).mirror(of: self) }
}

extension Fragment: CustomStringConvertible {
    /// The value, or `nil`.
    public var description: String {
        switch value {
        case nil: "nil"
        case let text as String: Appearance.quoted(text)
        case is NSNull: "null"
        case let value?: "\(value)"
        }
    }
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
    fileprivate var preview: PreviewEntries { PreviewEntries(keys: keys) { value(forKey: $0)?.previewed(in: source) ?? .null } }
}

extension ArrayContents {
    fileprivate var preview: PreviewEntries { PreviewEntries(count: count) { self[$0].previewed(in: source) } }
}

extension Result: Shown {
    var appearance: Appearance { Appearance(preview) }

    fileprivate var preview: PreviewEntries {
        let columns = table.titles.enumerated().prefix(PreviewEntries.maximumCount).compactMap { index, title in
            table.rows.value(row: row, column: index).map {
                (label: title as String?, value: PropertyValue.stored($0).previewed(in: table.source))
            }
        }
        return PreviewEntries(columns, count: columns.count + Swift.max(0, count - PreviewEntries.maximumCount), isArray: false)
    }
}
