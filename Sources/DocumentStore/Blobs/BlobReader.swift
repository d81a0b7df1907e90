#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads one blob from its file. Not safe to use from several threads at once.
package final class BlobReader {
    package let path: String
    /// How many bytes the blob had when it was opened.
    package let size: UInt64
    private var descriptor: Int32

    init(path: String) throws(BlobError) {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw BlobError.current("open", path) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let error = BlobError.current("inspect", path)
            _ = systemClose(file)
            throw error
        }
        self.path = path
        descriptor = file
        size = UInt64(status.st_size)
    }

    deinit {
        close()
    }

    /// Where the next byte will be read.
    package private(set) var position: UInt64 = 0

    /// Fills `buffer` as far as there is content, and returns how many bytes that were; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(BlobError) -> Int {
        var filled = 0
        while filled < buffer.count, let start = buffer.baseAddress {
            let count = pread(descriptor, start + filled, buffer.count - filled, off_t(position))
            if count < 0 {
                if errno == EINTR { continue }
                throw BlobError.current("read", path)
            }
            if count == 0 { break }
            filled += count
            position += UInt64(count)
        }
        return filled
    }

    /// Moves to `position`, at most to the end.
    package func seek(to position: UInt64) {
        self.position = min(position, size)
    }

    /// Closes the file; reading afterwards fails. Closing twice is harmless.
    package func close() {
        guard descriptor >= 0 else { return }
        _ = systemClose(descriptor)
        descriptor = -1
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
