/// The name of an encrypted database's log: not SQLite's, which ends in `-wal`.
///
/// The story behind: a connection without the key, our own or of another program, that finds a log with the usual name takes it
/// for its own. It sees no valid frame, and deletes the log when it is closed, or copies what it holds over the database.
package final class LogName {
    /// What is added to the name of the database file.
    package static let suffix = "-log"
    private static let usualSuffix = "-wal"

    private let bytes: UnsafeMutableBufferPointer<CChar>
    /// Valid as long as the object lives. Two NULs follow, as SQLite has it: there are no parameters.
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

    /// Calls `body` with the name that a file has on the disk.
    static func with<Result>(_ usual: UnsafePointer<CChar>?, _ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        let name = LogName(usual)
        return withExtendedLifetime(name) { body(name.pointer) }
    }
}
