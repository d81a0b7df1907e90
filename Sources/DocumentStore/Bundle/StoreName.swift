import ExactStrings

/// Names of stores and of the SQL tables behind them (Storage format 2.4).
package enum StoreName {
    package static let info = "info"
    package static let checkpoints = "checkpoints"
    package static let peerCheckpoints = "peerCheckpoints"

    /// The table of a store: `kv_` and the name, with a backslash before every ASCII capital letter, because SQLite does not
    /// tell capital letters from small ones. Files before 500 do without.
    package static func table(_ store: String, isMangled: Bool = true) -> String {
        "kv_" + (isMangled ? mangled(store) : store)
    }

    /// The table of a collection's tombstones.
    package static func tombstoneTable(_ store: String) -> String {
        "kv_del_" + mangled(store)
    }

    /// A name in which every ASCII capital letter has a backslash before it.
    package static func mangled(_ name: String) -> String {
        guard name.utf8.contains(where: isCapital) else { return name }
        var result: [UInt8] = []
        for byte in name.utf8 {
            if isCapital(byte) { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The store behind a table, or nil when the table is none of a store: an index's or a tombstone table.
    package static func store(ofTable table: String) -> String? {
        guard table.hasPrefix("kv_"), !table.hasPrefix("kv_del_"), !table.contains(":") else { return nil }
        return String(table.dropFirst(3)).replacing("\\", with: "")
    }

    private static func isCapital(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    }
}

extension String {
    /// The name as an SQL identifier, double-quoted.
    package var quotedIdentifier: String { "\"" + doubling("\"") + "\"" }

    /// The text as an SQL string literal, single-quoted.
    package var quotedLiteral: String { "'" + doubling("'") + "'" }
}
