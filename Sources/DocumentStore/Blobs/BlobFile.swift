#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file, which whoever opened it closes.
struct BlobFile {
    let descriptor: Int32
    /// Names the file in errors.
    let path: String

    /// How many bytes the file has.
    var size: UInt64 {
        get throws(BlobError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw BlobError.current("inspect", path) }
            return UInt64(status.st_size)
        }
    }

    /// Whether the file still stands in a directory.
    var hasName: Bool {
        get throws(BlobError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw BlobError.current("inspect", path) }
            return status.st_nlink > 0
        }
    }

    /// Fills `buffer` with what stands at `position`, as far as the file goes, and returns how many bytes that were.
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

    /// The `count` bytes at `position`; nil when the file ends before them.
    func bytes(_ count: Int, at position: UInt64) throws(BlobError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(BlobError) in try read(into: buffer, at: position) }
        }.get()
        return found == count ? bytes : nil
    }

    /// Appends all of `bytes`.
    func write(_ bytes: UnsafeRawBufferPointer) throws(BlobError) {
        var rest = bytes
        while let start = rest.baseAddress, rest.count > 0 {
            let written = systemWrite(descriptor, start, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw BlobError.current("write to", path)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
    }

    func close() {
        _ = systemClose(descriptor)
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

private func systemClose(_ descriptor: Int32) -> Int32 {
    close(descriptor)
}
