import Base
import DocumentStore

extension Database {
    /// Deletes a database with all its files. Does nothing if there is no such database.
    ///
    /// - Parameters:
    ///   - name: The name of the database, without the extension.
    ///   - directory: The directory that contains the database; if `nil` or empty, the default value of
    ///     ``DatabaseConfiguration/directory``.
    /// - Throws: ``CBLError/busy`` if the database is open in this process or another one; ``CBLError/invalidParameter`` if the name is
    ///   invalid; ``CBLError/wrongFormat`` if its path is that of a file, not of a directory.
    public static func delete(withName name: String, inDirectory directory: String? = nil) throws {
        try throwingPublicErrors {
            let path = try BundlePath(name: name, inDirectory: directory).directory
            if try DatabaseRegistry.delete(path) { EngineLog.log(.info, .database, "deleted the database at \(path)") }
        }
    }

    /// Returns whether a database exists, by checking whether its directory does.
    ///
    /// - Parameters:
    ///   - name: The name of the database, without the extension.
    ///   - directory: The directory that contains the database; if `nil` or empty, the default value of
    ///     ``DatabaseConfiguration/directory``.
    public static func exists(withName name: String, inDirectory directory: String? = nil) -> Bool {
        (try? BundlePath(name: name, inDirectory: directory))?.isDirectory ?? false
    }

    /// Copies a database, for example one that is shipped with the app, to the directory of the configuration.
    ///
    /// The copy gets new UUIDs, so it replicates as a separate database. The original may be open, and may be on a read-only medium.
    ///
    /// - Parameters:
    ///   - path: The path of the original's `.cblite2` directory.
    ///   - name: The name of the copy, without the extension.
    ///   - config: The configuration; `nil` means the default one. If it has an encryption key, the original must be encrypted with this
    ///     key, and the copy will be, too.
    /// - Throws: ``CBLError/notFound`` if there is no database at `path`; ``CBLError/unreadableDatabase`` if the key is not the original's;
    ///   ``CBLError/invalidParameter`` if the name is invalid; an error in the domain `NSPOSIXErrorDomain` with the code `EEXIST` if a
    ///   database with the new name exists. No files are left behind then.
    public static func copy(fromPath path: String, toDatabase name: String, withConfig config: DatabaseConfiguration?) throws {
        let config = config ?? DatabaseConfiguration()
        try throwingPublicErrors {
            let destination = try BundlePath(name: name, inDirectory: config.directory)
            let source = BundlePath(path)
            guard source.holdsDatabase else { throw StoreError.notFound(what: "the database at \(source.directory)") }
            try DatabaseCopy.copy(source, to: destination, options: options(config))
        }
    }
}
