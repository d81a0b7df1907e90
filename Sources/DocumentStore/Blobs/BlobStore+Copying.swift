extension BlobStore {
    /// Stores all blobs in `other` as well, encrypted as that one does it, however this one does. Used when a database gets
    /// another key. Keeps a piece of a blob in memory at a time.
    ///
    /// - Throws: `damaged` for a blob whose content does not have its digest: it could not be told from a good one afterwards.
    ///   What has been stored by then stays.
    package func copyAll(to other: BlobStore) throws(BlobError) {
        for digest in try digests() {
            guard let reader = try reader(of: digest) else { continue }
            var writer = try BlobWriter(store: other)
            try writer.write(contentsOf: reader)
            let copy = try writer.finish()
            guard copy.digest == digest else { throw BlobError(.damaged, action: "copy", path: reader.path) }
            try copy.install()
        }
        try other.syncNames()
    }
}
