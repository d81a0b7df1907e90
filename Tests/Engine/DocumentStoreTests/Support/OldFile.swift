import DocumentStore
import Foundation

/// Files of earlier releases, created only from the statements of the format.
enum OldFile {
    /// A tree of the 2.x layout with one revision, created by a server, whose body is an empty dictionary.
    static let tree = "0000001CFFFF8211010123456789ABCDEF0123456789ABCDEF007000" + "00000000"
    static let version = "010123456789ABCDEF0123456789ABCDEF"
    /// The same revision in the 3.x layout.
    static let separateTree = "0000001AFFFF0211010123456789ABCDEF0123456789ABCDEF00" + "00000000"

    /// Makes a file of the given version, with one document `old` in the default collection.
    static func make(_ version: Int, at bundle: BundlePath, extraSQL: String = "") throws {
        try FileManager.default.createDirectory(atPath: bundle.directory, withIntermediateDirectories: true)
        let columns =
            "key TEXT PRIMARY KEY, sequence INTEGER, flags INTEGER DEFAULT 0, version BLOB, body BLOB"
            + (version >= 400 ? ", extra BLOB" : "") + (version >= 502 ? ", expiration INTEGER" : "")
        let values = version >= 400 ? "x'7000', x'\(separateTree)'" : "x'\(tree)'"
        let names = version >= 400 ? "body, extra" : "body"
        let meta = version >= 302 ? ", purgeCnt INTEGER DEFAULT 0" : ""
        var sql = """
            PRAGMA page_size=4096; PRAGMA auto_vacuum=incremental; PRAGMA journal_mode=WAL;
            CREATE TABLE kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0\(meta)) WITHOUT ROWID;
            CREATE TABLE kv_default (\(columns));
            CREATE TABLE kv_info (\(columns));
            INSERT INTO kv_info(key, body) VALUES ('versioning', x'000000000000000\(version >= 400 ? 1 : 0)'),
                ('publicUUID', x'00112233445546778899AABBCCDDEEFF'), ('privateUUID', x'00112233445546778899AABBCCDDEEFE');
            INSERT INTO kv_default(key, sequence, version, \(names)) VALUES ('old', 1, x'\(Self.version)', \(values));
            INSERT INTO kvmeta(name, lastSeq) VALUES ('default', 1);
            """
        if version >= 500 { sql += "CREATE TABLE kv_del_default (\(columns));" }
        sql += extraSQL + "PRAGMA user_version=\(version);"
        try TestDatabase.sql(sql, on: bundle)
    }
}
