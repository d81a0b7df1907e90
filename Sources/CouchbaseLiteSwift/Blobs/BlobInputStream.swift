import DocumentStore

/// An input stream of the stored content of a blob.
///
/// Does not support run loops and delegates (API 17). Must be used by one thread at a time, like any stream.
final class BlobInputStream: InputStream {
    private let reader: BlobReader
    private var status = Stream.Status.notOpen
    private var error: NSError?

    init(_ reader: BlobReader) {
        self.reader = reader
        super.init(data: Data())
    }

    override func open() {
        if status == .notOpen { status = .open }
    }

    override func close() {
        reader.close()
        status = .closed
    }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { error }

    override var hasBytesAvailable: Bool { status == .open && reader.position < reader.size }

    override func getBuffer(_ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>) -> Bool {
        false
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
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
            self.error = publicError(error)
            status = .error
            return -1
        }
    }
}
