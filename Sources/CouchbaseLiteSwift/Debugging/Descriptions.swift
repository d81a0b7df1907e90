import DatabaseRuntime
import QueryEngine

// What `print` and debuggers show of the objects of a database. Nothing here reads from disk.

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

extension DictionaryObject: Previewed {
    var preview: PreviewEntries { contents.preview }
}

extension ArrayObject: Previewed {
    var preview: PreviewEntries { contents.preview }
}

extension ResultSet: Shown {
    var appearance: Appearance { Appearance("ResultSet", ["columns": table.titles, "rows": PreviewRows(table: table)]) }
}

/// The rows of a result, which a debugger shows without taking them.
private struct PreviewRows: CustomStringConvertible, CustomReflectable {
    let table: ResultTable

    var description: String { "\(table.rows.count)" }

    var customMirror: Mirror {
        let rows = (0..<min(table.rows.count, PreviewEntries.maximumCount)).map { Result($0, of: table).preview }
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
        case let text as String: Appearance.quoted(text)
        case is NSNull: "null"
        case let value?: "\(value)"
        }
    }
}
