extension BlobStore {
    /// Deletes every blob that is not in `kept`, and what writers that died have left; returns how many blobs were deleted. Files
    /// with other names stay.
    ///
    /// Call it inside a write transaction, so that no document comes to refer to a blob while it is being deleted
    /// (Storage format 4.5).
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

    /// The digests of all blobs stored. Files with other names are passed over, and what is no regular file: see ``foreignEntries()``.
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

    /// The names of symbolic links and of whatever else in the directory is no regular file: all of them are ignored.
    func foreignEntries() throws(BlobError) -> [String] {
        guard let directory = try BlobDirectory(directory) else { return [] }
        var names: [String] = []
        for name in try directory.names() where try directory.entry(name) == .other { names.append(name) }
        return names.sorted()
    }
}
