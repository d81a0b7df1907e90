import DatabaseRuntime
import QueryEngine

// What `print` and debuggers show of the objects of a database. Nothing here reads from disk.

extension Database: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance { Appearance("Database", ["name": name, "path": path ?? "closed"]) }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

extension Scope: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance { Appearance("Scope", ["name": name, "database": database.name]) }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

extension Collection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance { Appearance("Collection", ["name": fullName, "database": database.name]) }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

extension QueryIndex: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance { Appearance("QueryIndex", ["name": name, "collection": collection.fullName]) }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

extension Blob: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance {
        let (digest, length) = withState { ($0.digest, $0.length) }
        return Appearance("Blob", ["contentType": contentType, "length": length, "digest": digest])
    }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

extension Document: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance {
        Appearance(
            self is MutableDocument ? "MutableDocument" : "Document",
            [
                "id": id, "revisionID": revisionID, "sequence": sequence, "collection": collection?.fullName,
                "properties": contents.preview,
            ]
        )
    }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

extension DictionaryObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A short text for logs and debuggers.
    public var description: String { contents.preview.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { contents.preview.customMirror }
}

extension ArrayObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A short text for logs and debuggers.
    public var description: String { contents.preview.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { contents.preview.customMirror }
}

extension Result: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A short text for logs and debuggers.
    public var description: String { preview.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { preview.customMirror }
}

extension ResultSet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private var appearance: Appearance { Appearance("ResultSet", ["columns": table.titles, "rows": PreviewRows(table: table)]) }
    /// A short text for logs and debuggers.
    public var description: String { appearance.description }
    /// As ``description``.
    public var debugDescription: String { description }
    /// The most important values, for debuggers.
    public var customMirror: Mirror { appearance.mirror(of: self) }
}

/// The rows of a result, which a debugger shows without taking them.
private struct PreviewRows: CustomStringConvertible, CustomReflectable {
    let table: ResultTable

    var description: String { "\(table.rows.count)" }

    var customMirror: Mirror {
        let rows = (0..<min(table.rows.count, Preview.maximumCount)).map { Result($0, of: table).preview }
        return Mirror(self, unlabeledChildren: rows, displayStyle: .collection)
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
        case let text as String: Preview.quoted(text)
        case is NSNull: "null"
        case let value?: "\(value)"
        }
    }
}
