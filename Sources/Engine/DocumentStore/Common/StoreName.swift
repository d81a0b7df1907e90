import Base

/// Names of stores and of the SQL tables behind them (Storage format 2.4).
package enum StoreName {
    /// The store of properties of the database, such as its UUIDs and shared keys.
    package static let info = "info"
    /// The store of the checkpoints of replicators (Storage format 2.7).
    package static let checkpoints = "checkpoints"
    /// The store of the checkpoints that peers save in this database.
    package static let peerCheckpoints = "peerCheckpoints"

    /// Returns the name of the table of a store: `kv_` and the name, with a backslash before every ASCII capital letter, because SQLite
    /// compares table names without case. Files before version 500 have no backslashes.
    package static func table(_ store: String, escapesCapitals: Bool = true) -> String {
        "kv_" + (escapesCapitals ? mangled(store) : store)
    }

    /// Returns the name of the table of a collection's tombstones.
    package static func tombstoneTable(_ store: String) -> String { "kv_del_" + mangled(store) }

    /// Returns a name with a backslash before every ASCII capital letter.
    package static func mangled(_ name: String) -> String {
        guard name.utf8.contains(where: isCapital) else { return name }
        var result: [UInt8] = []
        for byte in name.utf8 {
            if isCapital(byte) { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the store of a table, or `nil` if it is not the table of a store, but of an index or of tombstones.
    package static func store(ofTable table: String) -> String? {
        let bytes = table.utf8
        guard bytes.starts(with: "kv_".utf8), !bytes.starts(with: "kv_del_".utf8), !bytes.contains(UInt8(ascii: ":")) else { return nil }
        return String(decoding: bytes.dropFirst(3).filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self)
    }

    private static func isCapital(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
}

extension String {
    /// The name as an SQL identifier in double quotation marks.
    package var quotedIdentifier: String { "\"" + doubling("\"") + "\"" }

    /// The text as an SQL string literal in single quotation marks.
    package var quotedLiteral: String { "'" + doubling("'") + "'" }
}
