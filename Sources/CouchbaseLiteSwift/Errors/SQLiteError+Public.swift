import SQLiteEngine

extension SQLiteError: PublicErrorConvertible {
    /// The matching code of ``CBLError`` if there is one; otherwise SQLite's own code in the domain `CouchbaseLite.SQLite` (API 14).
    var publicError: NSError {
        if isBusy { return .couchbaseLite(code: CBLError.busy, message: description) }
        if isNotADatabase { return .couchbaseLite(code: CBLError.unreadableDatabase, message: description) }
        if isReadOnly { return .couchbaseLite(code: CBLError.notWriteable, message: description) }
        if isCorrupt { return .couchbaseLite(code: CBLError.corruptData, message: description) }
        if isCantOpen { return .couchbaseLite(code: CBLError.cantOpenFile, message: description) }
        return .make("CouchbaseLite.SQLite", Int(code), description)
    }
}
