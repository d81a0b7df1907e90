import DocumentStore
package import Foundation

/// An input stream of the stored content of a blob.
///
/// Does not support run loops and delegates (API 17). Must be used by one thread at a time, like any stream.
package final class BlobInputStream: InputStream {
    private let reader: BlobReader
    private var status = Stream.Status.notOpen
    private var error: NSError?

    init(_ reader: BlobReader) {
        self.reader = reader
        super.init(data: Data())
    }

    override package func open() {
        if status == .notOpen { status = .open }
    }

    override package func close() {
        reader.close()
        status = .closed
    }

    override package var streamStatus: Stream.Status { status }

    override package var streamError: (any Error)? { error }

    override package var hasBytesAvailable: Bool { status == .open && reader.position < reader.size }

    override package func getBuffer(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>) -> Bool
    {
        false
    }

    override package func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        do {
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
            if count == 0, length > 0 {
                // A file that became shorter must not look like shorter content.
                guard reader.position >= reader.size else { throw BlobError(.cutShort, action: "read", path: reader.path) }
                status = .atEnd
            }
            return count
        } catch {
            self.error = LibraryError.shown(error)
            status = .error
            return -1
        }
    }
}
