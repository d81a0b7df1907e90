import Foundation

/// The file in which a new backup is written, beside its destination. It is locked while it is being written, so that the next backup
/// recognizes and removes the file of a process that was killed.
struct UnfinishedFile: ~Copyable {
    let descriptor: Int32
    private let path: String
    private let destination: String

    private static let infix = ".unfinished-"

    /// - Throws: `system` if the file cannot be created.
    init(for destination: String) throws(BackupError) {
        Self.removeLeftovers(of: destination)
        while true {
            let path = destination + Self.infix + String(UInt64.random(in: 0 ... .max), radix: 16)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw .system(path: destination, code: errno) }
            var status = stat()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
                (self.descriptor, self.path, self.destination) = (descriptor, path, destination)
                return
            }
            // Before it was locked, another process has removed it as a leftover.
            unlink(path)
            close(descriptor)
        }
    }

    deinit {
        unlink(path)
        close(descriptor)
    }

    /// Gives the file its name.
    ///
    /// - Throws: `alreadyExists` if somebody else has made the file meanwhile, unless it is to be replaced; `system`.
    func install(replacing: Bool) throws(BackupError) {
        // `link` fails if the file exists; `rename` replaces it.
        let isNamed = replacing ? rename(path, destination) == 0 : link(path, destination) == 0
        guard isNamed else { throw errno == EEXIST ? .alreadyExists(path: destination) : .system(path: destination, code: errno) }
    }

    /// Removes the files of backups to the same destination whose processes have ended.
    private static func removeLeftovers(of destination: String) {
        let url = URL(fileURLWithPath: destination)
        let prefix = Array((url.lastPathComponent + infix).utf8)
        let parent = url.deletingLastPathComponent().path
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] {
            let bytes = Array(name.utf8)
            guard bytes.starts(with: prefix), (1...16).contains(bytes.count - prefix.count),
                bytes.dropFirst(prefix.count).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { continue }
            let path = parent + "/" + name
            let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }
}
