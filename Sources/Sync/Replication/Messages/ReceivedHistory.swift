import DocumentStore
import SyncCore

/// The name of a revision and its history in the properties of a `rev` (Replication 3.8; Version vectors 6.6).
struct ReceivedHistory: Equatable {
    let revision: RevisionID
    /// The ancestors, newest first: versions, then IDs in trees.
    let ancestors: [RevisionID]
    /// The number of the first ancestors that were merged to make the revision.
    let mergedCount: Int

    /// Reads IDs in trees.
    ///
    /// - Throws: {HTTP, 400}.
    init(trees name: String, _ history: String) throws(SyncError) {
        revision = try Self.revision(name)
        mergedCount = 0
        guard !history.isEmpty else {
            ancestors = []
            return
        }
        ancestors = try history.split(separator: ",", omittingEmptySubsequences: false).map { (name) throws(SyncError) in
            try Self.revision(name.trimmingSpaces)
        }
    }

    private static func revision(_ text: some StringProtocol) throws(SyncError) -> RevisionID {
        guard let revision = RevisionID(tree: String(text)) else {
            throw SyncError(http: .badRequest, "Invalid revision ID \"\(text.prefix(64))\"")
        }
        return revision
    }

    /// Reads the names in a database with version vectors. The revision can be one of a tree.
    ///
    /// - Throws: {HTTP, 400} for an invalid name; {LiteCore, 4} for an invalid history.
    init(versions name: String, _ history: String, _ naming: RevisionNaming) throws(SyncError) {
        if history.isEmpty, let alone = naming.revision(name) {
            (revision, ancestors, mergedCount) = (alone, [], 0)
            return
        }
        guard let current = naming.current(name) else { throw SyncError(http: .badRequest, "received invalid version ID") }
        var text = VectorText(name, hasMark: history.utf8.contains(UInt8(ascii: ";")))
        var trees: [RevisionID] = []
        var rest = history[...]
        while !rest.isEmpty {
            let end = rest.firstIndex { $0 == "," || $0 == ";" } ?? rest.endIndex
            let entry = rest[..<end].drop { $0 == " " }
            let separator = end < rest.endIndex ? rest[end] : nil
            if let tree = RevisionID(tree: String(entry)) {
                trees.append(tree)
            } else if !entry.isEmpty {
                guard trees.isEmpty else { throw Self.invalid }
                text.append(entry)
            }
            try text.end(separator, isEmpty: entry.isEmpty)
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
        }
        revision = current
        guard case .version = current else {
            guard text.isAlone else { throw Self.invalid }
            (ancestors, mergedCount) = (trees, 0)
            return
        }
        do throws(VersionError) {
            let vector = try naming.vector(text.complete)
            ancestors = vector.versions.dropFirst().map { .version($0) } + trees
            mergedCount = vector.merged.count
        } catch {
            throw SyncError(engine: .badRevisionID, error.description)
        }
    }

    private static let invalid = SyncError(engine: .badRevisionID, "bad revision ID")
}

/// The text of a vector that is put together from the name of a revision and its history.
private struct VectorText {
    private var text: String
    /// What comes before the next version.
    private var separator: Character
    private var markCount = 0
    /// Whether there is no version but the name.
    private(set) var isAlone = true

    /// - Parameter hasMark: Whether the history says which of its versions were merged. Without a mark none was.
    init(_ name: String, hasMark: Bool) { (text, separator) = (name, hasMark ? "," : ";") }

    mutating func append(_ version: Substring) {
        isAlone = false
        text.append(separator)
        text += version
    }

    /// Notes what follows an entry of the history, of which empty ones are skipped.
    mutating func end(_ next: Character?, isEmpty: Bool) throws(SyncError) {
        if next == ";" { markCount += 1 }
        guard markCount < 2 else { throw SyncError(engine: .badRevisionID, VersionError.severalMarks.description) }
        if next == ";" || !isEmpty { separator = next ?? "," }
    }

    /// The text, with the mark if it is at the end.
    var complete: String { !isAlone && separator == ";" ? text + ";" : text }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}
