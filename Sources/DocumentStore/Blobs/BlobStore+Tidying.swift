#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension BlobStore {
    /// Deletes every blob that is not in `kept`, and what writers that died have left; returns how many blobs were deleted. Files
    /// with other names stay.
    ///
    /// Call it inside a write transaction, so that no document comes to refer to a blob while it is being deleted
    /// (Storage format 4.5).
    @discardableResult
    package func delete(except kept: Set<BlobDigest>) throws(BlobError) -> Int {
        var count = 0
        for digest in try digests() where !kept.contains(digest) {
            let path = path(of: digest)
            guard unlink(path) == 0 || errno == ENOENT else { throw BlobError.current("delete the blob", path) }
            count += 1
        }
        try TemporaryBlobFile.removeAbandoned(in: directory)
        return count
    }

    /// The digests of all blobs stored. Files with other names are passed over.
    package func digests() throws(BlobError) -> [BlobDigest] {
        try Self.fileNames(in: directory).compactMap { BlobDigest(fileName: $0) }
    }

    /// The names of all files in `directory`; none when it does not exist.
    static func fileNames(in directory: String) throws(BlobError) -> [String] {
        guard let stream = opendir(directory) else {
            guard errno == ENOENT else { throw BlobError.current("list", directory) }
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
            )
        }
        return names
    }
}
