import Base

/// Reads one blob from its file. Not thread-safe.
package final class BlobReader {
    /// The path of the file, for messages. A blob that was not installed yet has the path of its temporary file.
    package var path: String { file.path }
    /// The size of the blob when it was opened, in bytes.
    package let size: UInt64
    private let file: BlobFile
    private var sealed: SealedBlob?
    private var isClosed = false

    /// Reads a file that is also open elsewhere, and that may have been removed from its directory.
    convenience init(sharing file: BlobFile, digest: BlobDigest, cipher: BlobCipher?) throws(BlobError) {
        try self.init(file.duplicate(), digest: digest, cipher: cipher)
    }

    /// Reads an opened file, which contains the blob with `digest`, encrypted if there is a `cipher`. The reader owns the file, and closes
    /// it even if this initializer fails.
    init(_ file: BlobFile, digest: BlobDigest, cipher: BlobCipher?) throws(BlobError) {
        do throws(BlobError) {
            if let cipher {
                let sealed = try SealedBlob(file, cipher: cipher, digest: digest)
                self.sealed = sealed
                size = sealed.length
            } else {
                size = try file.size
            }
        } catch {
            file.close()
            throw error
        }
        self.file = file
    }

    deinit {
        close()
    }

    /// The maximum size of content that is read into memory as a whole, in bytes: 2 GiB. A file in an untrusted database can be sparse:
    /// it can have any size without using disk space.
    private static let maximumSizeInMemory: UInt64 = 1 << 31

    /// Returns the size of a buffer for the whole content.
    ///
    /// - Throws: `tooLarge` if the content has more than 2 GiB. It can be read in pieces.
    package func sizeInMemory() throws(BlobError) -> Int {
        guard size <= Self.maximumSizeInMemory else { throw BlobError(.tooLarge, action: "read", path: path) }
        return Int(size)
    }

    /// The position of the next byte to read.
    package private(set) var position: UInt64 = 0

    /// Fills `buffer`, and returns the number of bytes read, which is lower only near the end of the content, and 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(BlobError) -> Int {
        guard !isClosed else { throw BlobError(.system(EBADF), action: "read", path: path) }
        let count =
            sealed == nil
            ? try file.read(into: buffer, at: position)
            : try sealed?.read(into: buffer, at: position) ?? 0
        position += UInt64(count)
        return count
    }

    /// Returns the next bytes: `maximum`, or fewer only near the end of the content, and none at the end.
    package func read(upTo maximum: Int) throws(BlobError) -> [UInt8] {
        var failure: BlobError?
        let bytes = [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            do throws(BlobError) {
                count = try read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Calls `body` with the content from the current position to its end, in pieces of at most 64 KB.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws(BlobError) -> Void) throws(BlobError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while case let count = try read(into: buffer), count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Moves to `position`, or to the end if `position` is beyond it.
    package func seek(to position: UInt64) {
        self.position = min(position, size)
    }

    /// Closes the file. Later reads fail. Closing twice has no effect.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        file.close()
    }
}
