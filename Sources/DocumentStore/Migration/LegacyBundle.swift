import Foundation

/// What is in a bundle of Couchbase Lite 1.x besides the database file (Storage format 6.1).
struct LegacyBundle {
    private let bundle: BundlePath

    init(_ bundle: BundlePath) {
        self.bundle = bundle
    }

    var attachments: String { bundle.directory + "/attachments" }

    /// Whether the attachments are encrypted, by a scheme that is not supported.
    var hasEncryptedAttachments: Bool {
        FileManager.default.fileExists(atPath: attachments + "/_encryption")
    }

    /// Whether the documents are kept by ForestDB, which is not supported.
    var isForest: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: bundle.directory)) ?? []
        return names.contains { $0.hasPrefix("db.forest") }
    }

    /// The names that the file of an attachment may have: its digest in capital hexadecimal digits, or in small ones, as early
    /// releases on Android had it.
    func files(of digest: BlobDigest) -> [String] {
        let digits = digest.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return [digits.uppercased(), digits].map { "\(attachments)/\($0).blob" }
    }
}
