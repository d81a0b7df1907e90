import Foundation

/// The default directory of databases (API 2).
package enum DefaultDirectory {
    /// The path of the directory, which need not exist. It depends on the identifier or the name of the program.
    package static var path: String {
        #if canImport(Darwin)
        guard let identifier = Bundle.main.bundleIdentifier,
            let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        else { return FileManager.default.currentDirectoryPath }
        return support.appendingPathComponent(identifier).appendingPathComponent("CouchbaseLite").path
        #else
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? NSHomeDirectory() + "/.local/share"
        return "\(base)/\(ProcessInfo.processInfo.processName)/CouchbaseLite"
        #endif
    }
}

extension BundlePath {
    /// Creates the path of the bundle with the given name (API 19, decision 15). If `directory` is `nil` or empty, the default directory is
    /// used.
    ///
    /// - Throws: `invalidDatabaseName` unless the name has 1 to 240 bytes, contains no slash and no NUL, and is not `.` or `..`.
    package init(name: String, inDirectory directory: String?) throws(StoreError) {
        let utf8 = name.utf8
        guard (1...240).contains(utf8.count), !utf8.contains(UInt8(ascii: "/")), !utf8.contains(0), name != ".", name != ".."
        else { throw .invalidDatabaseName(name) }
        let directory = directory.flatMap { $0.isEmpty ? nil : $0 } ?? DefaultDirectory.path
        self.init(URL(fileURLWithPath: directory).appendingPathComponent("\(name).\(Self.fileExtension)").path)
    }
}
