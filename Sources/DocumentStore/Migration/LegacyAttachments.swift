import Foundation

/// Takes attachments of 1.x over into the blobs of a new database, which is not encrypted: nothing of 1.x that is can be upgraded.
struct LegacyAttachments {
    let source: LegacyBundle
    let blobs: BlobStore

    /// Takes over the attachment with that digest. Does nothing when there is no file, as for one that was never downloaded, or
    /// when it has been taken over for another document.
    func take(_ digest: BlobDigest) throws {
        let target = blobs.path(of: digest)
        guard Self.kind(of: source.attachments) == S_IFDIR else { return }
        for file in source.files(of: digest) where Self.isFile(file) {
            // The old bundle goes away with the name that its file has there.
            if link(file, target) == 0 || errno == EEXIST { return }
            // Not every file system has hard links.
            do {
                return try FileManager.default.copyItem(atPath: file, toPath: target)
            } catch {
                throw StoreError(error, path: target)
            }
        }
    }

    /// Whether there is a file: a link would lead out of the bundle.
    private static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
