package import Foundation

/// A new directory that is removed when the object is released.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    /// - Parameter inMemory: Whether to create it in an in-memory file system, if the system has one.
    package init(inMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent =
            inMemory && FileManager.default.isWritableFile(atPath: memory)
            ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
        url = parent.appendingPathComponent("cbl-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Returns the path of `name` inside the directory.
    package func path(_ name: String) -> String {
        url.appendingPathComponent(name).path
    }

    /// Copies a file or directory into this one and returns the copy's URL. The copy is writable even if the original is not.
    package func copy(_ original: URL) throws -> URL {
        let copy = url.appendingPathComponent(original.lastPathComponent)
        try FileManager.default.copyItem(at: original, to: copy)
        let contents = FileManager.default.enumerator(atPath: copy.path)?.compactMap { $0 as? String } ?? []
        try makeWritable(copy)
        for path in contents { try makeWritable(copy.appendingPathComponent(path)) }
        return copy
    }

    private func makeWritable(_ url: URL) throws {
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        let permissions = isDirectory.boolValue ? 0o755 : 0o644
        try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: url.path)
    }
}
