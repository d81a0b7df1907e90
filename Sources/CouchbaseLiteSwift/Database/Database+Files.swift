import DocumentStore
import LogCore

extension Database {
    /// Removes a database with all its files. One that does not exist is not an error.
    ///
    /// - Throws: `busy` when it is open in this process; `invalidParameter` for a name that cannot be used.
    public static func delete(withName name: String, inDirectory directory: String? = nil) throws {
        try DatabaseName.check(name)
        try throwingPublicErrors {
            let path = DatabaseName.path(name, inDirectory: directory)
            if try DatabaseRegistry.delete(path) { EngineLog.log(.info, .database, "deleted the database at \(path)") }
        }
    }

    /// Whether there is a database of that name.
    public static func exists(withName name: String, inDirectory directory: String? = nil) -> Bool {
        guard (try? DatabaseName.check(name)) != nil else { return false }
        return BundlePath(DatabaseName.path(name, inDirectory: directory)).isDirectory
    }

    /// Copies a database, say one that is shipped with the app, to the directory of the configuration. The copy gets new
    /// identifiers, so that it replicates as a database of its own.
    ///
    /// The original may be open, and may lie on a medium that cannot be written. When the configuration has an encryption key,
    /// the original must be encrypted with it, and so will be the copy.
    ///
    /// - Throws: `notFound` when there is no database at `path`; `unreadableDatabase` when the key is not the original's; an error of the domain `NSPOSIXErrorDomain` with code `EEXIST`
    ///   when there is one of the new name. Nothing is left behind then.
    public static func copy(fromPath path: String, toDatabase name: String, withConfig config: DatabaseConfiguration?) throws {
        try DatabaseName.check(name)
        let config = config ?? DatabaseConfiguration()
        try throwingPublicErrors {
            let source = BundlePath(path)
            guard source.holdsDatabase else { throw StoreError.notFound(what: "the database at \(source.directory)") }
            let destination = BundlePath(DatabaseName.path(name, inDirectory: config.directory))
            try DatabaseCopy.copy(source, to: destination, options: options(config))
        }
    }
}
