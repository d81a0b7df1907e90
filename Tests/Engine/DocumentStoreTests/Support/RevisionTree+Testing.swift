@testable import DocumentStore

extension RevisionTree {
    init(stored bytes: [UInt8], recordSequence: UInt64 = 1) throws(RevisionTreeError) {
        self = try bytes.withUnsafeBytes { bytes throws(RevisionTreeError) in
            try RevisionTree(decoding: bytes, recordSequence: recordSequence)
        }
    }

    /// One line for each revision in stored order: `ID<parent flags`, for comparing whole trees at once.
    var outline: [String] {
        revisions.map { revision in
            let parent = revision.parent.map { "<\(revisions[$0].id)" } ?? ""
            let letters: [(RevisionFlags, String)] = [
                (.deleted, "d"), (.leaf, "l"), (.hasAttachments, "a"), (.keepBody, "k"), (.isConflict, "c"),
                (.closed, "x"),
            ]
            let flags = letters.filter { revision.flags.contains($0.0) }.map(\.1).joined()
            return "\(revision.id)\(parent) \(flags)\(revision.body == nil ? "" : "+")"
        }
    }
}

extension TreeRevisionID {
    /// An ID that is known to be valid.
    static func of(_ text: StaticString) -> TreeRevisionID {
        TreeRevisionID("\(text)")!
    }
}

extension RevisionID {
    /// An ID that is known to be valid.
    static func of(_ text: StaticString) -> RevisionID {
        RevisionID("\(text)")!
    }
}
