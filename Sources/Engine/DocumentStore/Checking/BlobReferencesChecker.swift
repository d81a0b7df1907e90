/// Checks the blobs of a database, and the references to them.
struct BlobReferencesChecker {
    private let store: BlobStore
    private var referenced: Set<BlobDigest> = []

    init(_ store: BlobStore) { self.store = store }

    /// Notes a reference. A blob whose file cannot be examined does not exist for readers either.
    ///
    /// - Returns: Whether the blob exists.
    mutating func reference(_ digest: BlobDigest) -> Bool {
        referenced.insert(digest)
        return (try? store.contains(digest)) == true
    }

    /// Checks the contents of all blobs against their names.
    func checkFiles(_ result: inout CheckResult, _ progress: BundleChecker.Progress) throws {
        let digests: [BlobDigest]
        do throws(BlobError) {
            for name in try store.foreignEntries() {
                result.warning(.blob, name, "it is a symbolic link or another entry that is not a file, and is ignored")
            }
            digests = try store.digests()
        } catch {
            return result.error(.file, "Attachments", error.description)
        }
        for digest in digests {
            result.blobs += 1
            if !result.hasDamagedPages, !referenced.contains(digest) { result.unusedBlobs += 1 }
            try progress(.blobs(result.blobs, of: digests.count))
            do throws(BlobError) {
                guard try store.actualDigest(of: digest) != digest else { continue }
                report(digest, "the content does not have this digest", &result)
            } catch {
                report(digest, error.description, &result)
            }
        }
    }

    /// Reports damaged content. Content that was never used is not lost: a power failure may have stopped the transaction that stored it.
    private func report(_ digest: BlobDigest, _ message: String, _ result: inout CheckResult) {
        if result.hasDamagedPages || referenced.contains(digest) {
            result.error(.blob, digest.fileName, message)
        } else {
            result.warning(.blob, digest.fileName, "\(message); no document refers to it, and a compaction removes it")
        }
    }
}
