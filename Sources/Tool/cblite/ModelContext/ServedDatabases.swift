import CouchbaseLiteSwift
import Foundation

/// The databases that an assistant may use: one, or those of a directory.
struct ServedDatabases: Sendable {
    private let path: String
    private let busyTimeout: Double
    private let key: EncryptionKey?
    /// Whether `path` is a database, and not a directory of databases.
    private let isSingle: Bool

    /// - Throws: ``Failure`` if the path is neither a database nor a directory, or the key cannot be read; the error of opening the database.
    init(_ argument: DatabaseArgument) throws {
        let opening = try argument.opening()
        (path, busyTimeout, key) = (opening.path, opening.busyTimeout, opening.key)
        isSingle = DatabaseFiles.exist(at: path)
        if isSingle {
            // A wrong key is reported at the start, and not to the assistant.
            try opening.using(.reading) { _ in }
        } else if FileStatus(path)?.isDirectory != true {
            throw Failure.noDatabase(argument.database)
        }
    }

    /// Returns the names of the databases, sorted by their bytes. The databases of a directory may change.
    func names() throws -> [String] {
        if isSingle { return [Self.name(of: path)] }
        return try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasSuffix(".\(DatabaseFiles.fileExtension)") && DatabaseFiles.exist(at: "\(path)/\($0)") }
            .map(Self.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Returns a database by its name.
    ///
    /// - Parameter name: `nil` for the only database.
    /// - Throws: ``Failure`` if there is no such database, or several and none is named.
    func opening(_ name: String?) throws -> Opening {
        let names = try self.names()
        guard let name else {
            guard names.count == 1, let only = names.first else {
                throw Failure(.usage, "the argument database is missing", hint: "The databases are: \(Self.list(names))")
            }
            return opening(existing: only)
        }
        guard names.contains(where: { $0.isSame(as: name) }) else {
            let hint = Suggestion.question(name, among: names) ?? "The databases are: \(Self.list(names))"
            throw Failure(.notFound, "there is no database \"\(name)\"", hint: hint)
        }
        return opening(existing: name)
    }

    /// - Parameter name: One of ``names()``, so that it is no path to another directory.
    private func opening(existing name: String) -> Opening {
        let path = isSingle ? path : "\(path)/\(name).\(DatabaseFiles.fileExtension)"
        return Opening(path: path, busyTimeout: busyTimeout, key: key)
    }

    private static func name(of path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        let suffix = ".\(DatabaseFiles.fileExtension)"
        return last.hasSuffix(suffix) ? String(last.dropLast(suffix.count)) : last
    }

    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(20).joined(separator: ", ")
        return names.count > 20 ? "\(shown), and \(names.count - 20) more" : shown
    }
}
