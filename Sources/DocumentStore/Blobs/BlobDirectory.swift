#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The opened directory of a blob store. Files are reached relative to it, so that what is checked and what is used are the same.
///
/// A database may come from a stranger: symbolic links, in the place of the directory or of a file in it, are not followed, since they
/// would give out or delete files elsewhere; only regular files are opened, since opening another kind may wait for ever.
struct BlobDirectory: ~Copyable {
    let descriptor: Int32
    /// Names the directory in errors.
    let path: String

    /// Opens the directory; nil when there is none.
    ///
    /// - Throws: `notADirectory` when there is something else at the path, be it a link to a directory.
    init?(_ path: String) throws(BlobError) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        self.path = path
        guard descriptor < 0 else { return }
        switch errno {
        case ENOENT: return nil
        case ENOTDIR, ELOOP, EMLINK: throw BlobError(.notADirectory, action: "open", path: path)
        default: throw BlobError.current("open", path)
        }
    }

    deinit {
        // A failed initializer leaves no descriptor.
        if descriptor >= 0 { close(descriptor) }
    }

    func path(of name: String) -> String { path + "/" + name }

    /// Opens a file for reading; nil when there is none of that name.
    ///
    /// - Throws: `notAFile` when something else has the name.
    func file(_ name: String) throws(BlobError) -> BlobFile? {
        // Opening a pipe would wait for somebody who writes to it.
        let opened = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            // A socket cannot be opened at all.
            let isNoFile = [ELOOP, EMLINK, ENXIO].contains(code)
            throw BlobError(isNoFile ? .notAFile : .system(code), action: "open", path: path(of: name))
        }
        let file = BlobFile(descriptor: opened, path: path(of: name))
        do throws(BlobError) {
            guard try file.isRegular else { throw BlobError(.notAFile, action: "open", path: file.path) }
        } catch {
            file.close()
            throw error
        }
        return file
    }

    /// What has a name in the directory.
    enum Entry: Equatable {
        case nothing
        /// A regular file of that many bytes.
        case file(UInt64)
        /// A symbolic link, a directory, a pipe, …
        case other
    }

    /// Looks at a name without opening what has it.
    func entry(_ name: String) throws(BlobError) -> Entry {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw BlobError.current("inspect", path(of: name)) }
            return .nothing
        }
        return status.st_mode & S_IFMT == S_IFREG ? .file(UInt64(status.st_size)) : .other
    }

    /// The names of everything in the directory but itself and the one above it.
    func names() throws(BlobError) -> [String] {
        // The stream closes its descriptor, and moves the position of all that are duplicates of each other.
        let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0, let stream = fdopendir(own) else {
            let error = BlobError.current("list", path)
            if own >= 0 { close(own) }
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw BlobError.current("list", path) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }

    /// Removes a name. One that is not there counts as removed.
    func remove(_ name: String) throws(BlobError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw BlobError.current("delete the blob", path(of: name)) }
    }
}
