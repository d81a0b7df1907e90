import Base
import Foundation

/// The files in a bundle of Couchbase Lite 1.x besides the database file (Storage format 6.1).
struct LegacyBundle {
    private let bundle: BundlePath

    init(_ bundle: BundlePath) { self.bundle = bundle }

    var attachments: String { bundle.directory + "/attachments" }

    /// Whether the attachments are encrypted, with a scheme that is not supported.
    var hasEncryptedAttachments: Bool { FileManager.default.fileExists(atPath: attachments + "/_encryption") }

    /// Whether the documents are stored in ForestDB, which is not supported.
    var isForest: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle.directory)) ?? []
        return names.contains { $0.utf8.starts(with: "db.forest".utf8) }
    }

    /// Returns the possible paths of an attachment's file: its digest in uppercase hexadecimal digits, or in lowercase digits as written by
    /// early releases on Android.
    func files(of digest: BlobDigest) -> [String] {
        let digits = digest.bytes.hexadecimal
        return [digits.uppercased(), digits].map { "\(attachments)/\($0).blob" }
    }
}

/// Migrates attachments of 1.x to the blobs of a new database. The new database is never encrypted, because encrypted databases of 1.x
/// cannot be upgraded.
struct LegacyAttachments {
    let source: LegacyBundle
    let blobs: BlobStore

    /// Migrates the attachment with that digest. Does nothing if the attachment has no file because it was never downloaded, or if it has
    /// already been migrated for another document.
    ///
    /// - Throws: ``StoreError`` if the file cannot be copied.
    func migrate(_ digest: BlobDigest) throws {
        let target = blobs.path(of: digest)
        guard Self.kind(of: source.attachments) == S_IFDIR else { return }
        for file in source.files(of: digest) where Self.isFile(file) {
            // A hard link suffices: the old bundle, with the other link to the file, is removed after the migration.
            if link(file, target) == 0 || errno == EEXIST { return }
            // Not every file system has hard links.
            do {
                return try FileManager.default.copyItem(atPath: file, toPath: target)
            } catch {
                throw StoreError(error, path: target)
            }
        }
    }

    /// Returns whether the path is a regular file. Symbolic links are rejected because they could lead out of the bundle.
    private static func isFile(_ path: String) -> Bool { kind(of: path) == S_IFREG }

    private static func kind(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }
}
