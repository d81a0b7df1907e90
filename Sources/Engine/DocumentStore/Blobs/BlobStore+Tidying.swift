extension BlobStore {
    /// Deletes every blob that is not in `kept`, and the temporary files of terminated writers. Other files are kept. Returns the number of
    /// deleted blobs.
    ///
    /// Must be called inside a write transaction, so that no document can start to refer to a blob while it is being deleted (Storage
    /// format 4.5).
    @discardableResult
    package func delete(except kept: Set<BlobDigest>) throws(BlobError) -> Int {
        guard let directory = try BlobDirectory(directory) else { return 0 }
        var count = 0
        for digest in try digests(in: directory) where !kept.contains(digest) {
            try directory.remove(digest.fileName)
            count += 1
        }
        try TemporaryBlobFile.removeAbandoned(in: directory)
        return count
    }

    /// Returns the digests of all stored blobs. Ignores files with other names, and entries that are not regular files; see
    /// ``foreignEntries()``.
    package func digests() throws(BlobError) -> [BlobDigest] {
        guard let directory = try BlobDirectory(directory) else { return [] }
        return try digests(in: directory)
    }

    private func digests(in directory: borrowing BlobDirectory) throws(BlobError) -> [BlobDigest] {
        var digests: [BlobDigest] = []
        for name in try directory.names() {
            guard let digest = BlobDigest(fileName: name), case .file = try directory.entry(name) else { continue }
            digests.append(digest)
        }
        return digests
    }

    /// Returns the sorted names of symbolic links and of other entries that are not regular files. The store ignores all of them.
    func foreignEntries() throws(BlobError) -> [String] {
        guard let directory = try BlobDirectory(directory) else { return [] }
        var names: [String] = []
        for name in try directory.names() where try directory.entry(name) == .other { names.append(name) }
        return names.sorted()
    }
}
