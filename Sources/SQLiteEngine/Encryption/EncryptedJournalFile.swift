internal import CSQLiteSystem

/// A rollback journal that contains no pages, as SQLite uses it while it fills a file that had no pages before. It is not encrypted.
final class EncryptedJournalFile: LayeredFile {
    /// The maximum size of a journal's header, in bytes, which is its largest part that is not a page.
    private static let headerSize = 512

    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        readBelow(into: buffer, at: offset)
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        bytes.count <= Self.headerSize ? writeBelow(bytes, at: offset) : Self.cannotWrite
    }
}
