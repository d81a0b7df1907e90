import Base

/// An open file. The code that opened it must close it.
struct BlobFile {
    let descriptor: Int32
    private let directory: String
    private let name: String
    /// The size of the file when it was opened, in bytes, if it was determined then.
    var openedSize: UInt64?

    init(descriptor: Int32, _ name: String, in directory: String) {
        self.descriptor = descriptor
        self.name = name
        self.directory = directory
    }

    /// The path of the file, for errors.
    var path: String { directory + "/" + name }

    /// The size of the file in bytes, when it was opened or, if it is not known, now.
    var size: UInt64 {
        get throws(BlobError) {
            if let openedSize { return openedSize }
            return UInt64(try status.st_size)
        }
    }

    /// Returns the same file, open under another descriptor.
    func duplicate() throws(BlobError) -> BlobFile {
        let descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw BlobError.current("open", path) }
        return BlobFile(descriptor: descriptor, name, in: directory)
    }

    /// What distinguishes the file from others that had or will have its name.
    var identity: FileIdentity {
        get throws(BlobError) { FileIdentity(try status) }
    }

    /// Whether the file still has a directory entry.
    var hasName: Bool {
        get throws(BlobError) { try status.st_nlink > 0 }
    }

    var status: stat {
        get throws(BlobError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw BlobError.current("inspect", path) }
            return status
        }
    }

    /// Fills `buffer` with the content at `position`, and returns the number of bytes read, which is lower only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: UInt64) throws(BlobError) -> Int {
        var filled = 0
        while filled < buffer.count, let start = buffer.baseAddress {
            let offset = off_t(position) + off_t(filled)
            let count = pread(descriptor, start + filled, buffer.count - filled, offset)
            if count < 0 {
                if errno == EINTR { continue }
                throw BlobError.current("read", path)
            }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Returns `count` bytes at `position`, or `nil` if the file ends before them.
    func bytes(_ count: Int, at position: UInt64) throws(BlobError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(BlobError) in try read(into: buffer, at: position) }
        }.get()
        return found == count ? bytes : nil
    }

    /// Appends all of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(BlobError) {
        guard writeAll(bytes, to: descriptor) else { throw BlobError.current("write to", path) }
    }

    /// Copies the file to a new read-only file.
    func copy(to name: String, in directory: borrowing BlobDirectory) throws(BlobError) {
        #if canImport(Darwin)
        // A clone shares the content with the original, if the file system supports this.
        if fclonefileat(descriptor, directory.descriptor, name, 0) == 0 { return }
        #endif
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let made = openat(directory.descriptor, name, flags, 0o400)
        guard made >= 0 else { throw BlobError.current("create the blob", directory.path(of: name)) }
        let copy = BlobFile(descriptor: made, name, in: directory.path)
        defer { copy.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var position: UInt64 = 0
        while case let count = try read(into: buffer, at: position), count > 0 {
            try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += UInt64(count)
        }
    }

    func close() {
        _ = systemClose(descriptor)
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
