/// The name of an encrypted database's log, which does not end in `-wal` as SQLite's does.
///
/// A connection without the key, of this library or another program, would use a log with the usual name. Because it finds no valid frame
/// in it, it would delete the log on closing, or copy the log's content over the database.
package final class LogName {
    /// The suffix that is appended to the name of the database file.
    package static let suffix = "-log"
    private static let usualSuffix = "-wal"

    private let bytes: UnsafeMutableBufferPointer<CChar>
    /// The name, valid as long as the object exists. Two NULs follow, which SQLite requires for a name without parameters.
    var pointer: UnsafePointer<CChar>? { UnsafePointer(bytes.baseAddress) }

    /// - Parameter usual: The name that SQLite uses.
    init(_ usual: UnsafePointer<CChar>?) {
        let usual = usual.map { String(cString: $0) } ?? ""
        let isLog = usual.hasSuffix(Self.usualSuffix)
        let name = isLog ? usual.dropLast(Self.usualSuffix.count) + Self.suffix : usual
        let text = Array(name.utf8CString) + [0]
        bytes = .allocate(capacity: text.count)
        _ = bytes.initialize(from: text)
    }

    deinit {
        bytes.deallocate()
    }

    /// Calls `body` with the name of the file on disk.
    static func with<Result>(_ usual: UnsafePointer<CChar>?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        let name = LogName(usual)
        return withExtendedLifetime(name) { body(name.pointer) }
    }
}
