internal import CSQLiteSystem

/// A rollback journal, which may hold no page: what there is while SQLite fills a file that had none before. It is not sealed.
final class EncryptedJournalFile: EncryptedFile {
    /// The largest part of a journal that is not a page is its header.
    private static let headerSize = 512

    override func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int32 {
        readBelow(into: buffer, at: offset)
    }

    override func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int32 {
        bytes.count <= Self.headerSize ? writeBelow(bytes, at: offset) : Self.cannotWrite
    }
}
