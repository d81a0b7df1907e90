import DocumentStore

/// The rules for names of databases, and the paths of their bundles (API 19, decision 15).
enum DatabaseName {
    /// Throws `invalidParameter` unless the name has 1 to 240 bytes, contains no slash and no NUL, and is not `.` or `..`.
    static func check(_ name: String) throws {
        let utf8 = name.utf8
        guard (1...240).contains(utf8.count), !utf8.contains(UInt8(ascii: "/")), !utf8.contains(0), name != ".",
            name != ".."
        else {
            throw NSError.couchbaseLite(
                code: CBLError.invalidParameter,
                message:
                    "\"\(name)\" is not a valid database name: it must have 1 to 240 bytes, no \"/\", no NUL, and not be \".\" or \"..\""
            )
        }
    }

    /// Returns the path of the bundle with the given name. If `directory` is `nil` or empty, the default directory is used.
    static func path(_ name: String, inDirectory directory: String?) -> String {
        let directory = directory.flatMap { $0.isEmpty ? nil : $0 } ?? DefaultDirectory.path
        return URL(fileURLWithPath: directory).appendingPathComponent("\(name).\(BundlePath.fileExtension)").path
    }
}
