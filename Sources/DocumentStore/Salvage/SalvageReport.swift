/// What was copied from a damaged database, and what was lost.
package struct SalvageReport: Sendable {
    /// Something that was not copied, or not as it was.
    package struct Loss: Sendable {
        package let kind: Finding.Kind
        /// A document as `collection/id`, the file name of a blob, a page, or a table.
        package let subject: String
        package let message: String
        /// Whether the content exists, but was changed to be stored: not a loss of data.
        package let isNote: Bool
    }

    /// What a check has found in the new database.
    package internal(set) var contents = CheckResult()
    /// The documents, of those copied, that were found on pages that no tree leads to.
    package internal(set) var foundOutsideTrees = 0
    package internal(set) var losses: [Loss] = []
    /// The number of all losses; of very many, only the first are kept.
    package internal(set) var lossCount = 0
    /// The names of the indexes of the damaged database, which are not copied.
    package internal(set) var indexes: [String] = []

    private static let maximumLosses = 10_000

    /// The number of losses that are not blobs.
    package internal(set) var lossCountWithoutBlobs = 0

    mutating func lose(_ kind: Finding.Kind, _ subject: String, _ message: String) {
        lossCount += 1
        if kind != .blob { lossCountWithoutBlobs += 1 }
        if losses.count < Self.maximumLosses { losses.append(Loss(kind: kind, subject: subject, message: message, isNote: false)) }
    }

    mutating func note(_ subject: String, _ message: String) {
        if losses.count < Self.maximumLosses { losses.append(Loss(kind: .file, subject: subject, message: message, isNote: true)) }
    }
}
