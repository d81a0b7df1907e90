import ExactStrings
import Foundation

/// The files in a bundle of Couchbase Lite 1.x besides the database file (Storage format 6.1).
struct LegacyBundle {
    private let bundle: BundlePath

    init(_ bundle: BundlePath) {
        self.bundle = bundle
    }

    var attachments: String { bundle.directory + "/attachments" }

    /// Whether the attachments are encrypted, with a scheme that is not supported.
    var hasEncryptedAttachments: Bool {
        FileManager.default.fileExists(atPath: attachments + "/_encryption")
    }

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
