extension BlobStore {
    /// Copies all blobs to `other`, with the encryption of that store. Used when the key of a database is changed. Keeps only a piece of
    /// one blob in memory at a time.
    ///
    /// - Throws: `damaged` if the content of a blob does not have its digest, because the damage could not be detected afterwards. The
    ///   blobs copied before remain in `other`.
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
