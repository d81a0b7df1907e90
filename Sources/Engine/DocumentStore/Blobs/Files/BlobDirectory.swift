import Base

/// The opened directory of a blob store. Files are opened relative to its descriptor, so that the checked file and the used file are the
/// same.
///
/// A database may be hostile. Symbolic links are not followed, whether they replace the directory or a file in it, because they could
/// disclose or delete files elsewhere. Only regular files are opened, because opening other kinds may block forever.
struct BlobDirectory: ~Copyable {
    let descriptor: Int32
    /// The path of the directory, for errors.
    let path: String

    /// Opens the directory. Returns `nil` if it does not exist.
    ///
    /// - Throws: `notADirectory` if the path is not a directory, even if it is a symbolic link to one.
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
        // The descriptor is negative if the initializer failed.
        if descriptor >= 0 { close(descriptor) }
    }

    func path(of name: String) -> String { path + "/" + name }

    /// Whether the path still leads to this directory.
    var isCurrent: Bool {
        var (opened, found) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0 && opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
    }

    /// Opens a file for reading. Returns `nil` if it does not exist.
    ///
    /// - Throws: `notAFile` if the entry is not a regular file.
    func file(_ name: String) throws(BlobError) -> BlobFile? {
        // `O_NONBLOCK`, because opening a pipe would wait for a writer.
        let opened = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else {
            let code = errno
            if code == ENOENT { return nil }
            // `ENXIO`: a socket cannot be opened.
            let isNoFile = [ELOOP, EMLINK, ENXIO].contains(code)
            throw BlobError(isNoFile ? .notAFile : .system(code), action: "open", path: path(of: name))
        }
        var file = BlobFile(descriptor: opened, name, in: path)
        do throws(BlobError) {
            let status = try file.status
            guard status.st_mode & S_IFMT == S_IFREG else { throw BlobError(.notAFile, action: "open", path: file.path) }
            file.openedSize = UInt64(status.st_size)
        } catch {
            file.close()
            throw error
        }
        return file
    }

    /// The kind of a directory entry.
    enum Entry: Equatable {
        case nothing
        /// A regular file with its size in bytes.
        case file(UInt64)
        /// A symbolic link, a directory, a pipe, …
        case other
    }

    /// Returns the kind of an entry without opening it.
    func entry(_ name: String) throws(BlobError) -> Entry {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            guard errno == ENOENT else { throw BlobError.current("inspect", path(of: name)) }
            return .nothing
        }
        return status.st_mode & S_IFMT == S_IFREG ? .file(UInt64(status.st_size)) : .other
    }

    /// Returns the names of all entries, except `.` and `..`.
    func names() throws(BlobError) -> [String] {
        // A new descriptor is required: `closedir` closes it, and reading moves the position shared by all duplicates of a descriptor.
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

    /// Removes an entry. Does nothing if it does not exist.
    func remove(_ name: String) throws(BlobError) {
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw BlobError.current("delete the blob", path(of: name)) }
    }
}
