#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads one blob from its file. Not safe to use from several threads at once.
package final class BlobReader {
    package var path: String { file.path }
    /// How many bytes the blob had when it was opened.
    package let size: UInt64
    private let file: BlobFile
    private var sealed: SealedBlob?
    private var isClosed = false

    /// Reads a file that somebody else has open, and whose name may be gone.
    convenience init(sharing file: BlobFile, digest: BlobDigest, cipher: BlobCipher?) throws(BlobError) {
        let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw BlobError.current("open", file.path) }
        try self.init(BlobFile(descriptor: descriptor, path: file.path), digest: digest, cipher: cipher)
    }

    /// Reads an opened file, which holds the blob with `digest`, encrypted if there is a `cipher`. The file is the reader's from now on,
    /// also when this fails.
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

    /// Where the next byte will be read.
    package private(set) var position: UInt64 = 0

    /// Fills `buffer` as far as there is content, and returns how many bytes that were; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(BlobError) -> Int {
        guard !isClosed else { throw BlobError(.system(EBADF), action: "read", path: path) }
        let count =
            sealed == nil
            ? try file.read(into: buffer, at: position)
            : try sealed?.read(into: buffer, at: position) ?? 0
        position += UInt64(count)
        return count
    }

    /// Moves to `position`, at most to the end.
    package func seek(to position: UInt64) {
        self.position = min(position, size)
    }

    /// Closes the file; reading afterwards fails. Closing twice is harmless.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        file.close()
    }
}
