/// How the revisions of a database are named (Version vectors 1).
package enum Versioning: Sendable {
    /// By IDs in revision trees, as in 2.x and 3.x.
    case trees
    /// By versions, as in 4.x.
    case versionVectors
    /// As the file says. A new file gets ``newFiles``.
    case automatic

    /// The form of new files, unless another one is required: gateways and peers of 3.x need trees.
    package static let newFiles = Versioning.trees

    /// Whether a new file has version vectors.
    var isVectorsInNewFiles: Bool { (self == .automatic ? Self.newFiles : self) == .versionVectors }

    /// Checks that an existing file is as required.
    ///
    /// - Throws: `versionVectors` or `revisionTrees` if it is not.
    func check(hasVectors: Bool, _ bundle: BundlePath) throws(StoreError) {
        switch self {
        case .automatic: return
        case .trees: if hasVectors { throw .versionVectors(path: bundle.directory, reason: "revision trees are required") }
        case .versionVectors: if !hasVectors { throw .revisionTrees(path: bundle.directory) }
        }
    }
}
