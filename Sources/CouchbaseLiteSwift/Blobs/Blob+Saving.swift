import DatabaseRuntime
import DocumentStore

extension Blob {
    /// Ends the process (API 8) if the blob is stored in another database. Must be called without holding a lock.
    func checkDatabase(_ database: Database) { if shared.isForeign(to: database) { ForeignBlob.fail() } }
}

extension Database: BlobHost {}

extension ForeignBlob {
    /// Ends the process, where a blob of another database is a programming error (API 8). Must be called without holding a lock.
    static func fail() -> Never { _CBLMisuse.inconsistency(reason + " Create a new blob from its content.") }
}
