import Base
import DocumentStore
import Foundation
import TestSupport

/// The conditions that must hold after all replicators have run without faults.
extension World {
    /// - Parameter bundles: Whether the independent checker checks the bundles, too.
    func check(bundles: Bool) throws {
        for replicator in replicators { try checkConvergence(replicator) }
        try checkMarks()
        try checkServer()
        for node in nodes { try check(node, bundles: bundles) }
    }

    private var names: [DocumentName] { eventLog.marks.keys.sorted { $0.description.isOrderedBefore($1.description) } }

    // MARK: Bundles

    private func check(_ node: WorldNode, bundles: Bool) throws {
        for finding in try BundleChecker(node.database.file).findings() where finding.severity == .error {
            fail("n\(node.number): \(finding)")
        }
        for id in options.collections {
            let conflicts = try node.database.collection(id).conflictedDocuments()
            if !conflicts.isEmpty { fail("n\(node.number) has conflicts left: \(conflicts)") }
        }
        for name in names { try checkBlobs(of: name, at: node) }
        guard bundles else { return }
        let report = try DatabaseChecker.check(URL(fileURLWithPath: node.database.bundle))
        for problem in report.problems { fail("n\(node.number): \(problem)") }
    }

    private func checkBlobs(of name: DocumentName, at node: WorldNode) throws {
        guard let content = try node.content(of: name) else { return }
        for (key, blob) in content.blobs {
            let digest = blob.firstRange(of: "sha1-").flatMap { BlobDigest(String(blob[$0.lowerBound...].prefix(33))) }
            let bytes = try digest.flatMap { try node.database.file.blobs.contents(of: $0) }
            let isRight = bytes.map(WorldNode.blobs.contains) ?? false
            if !isRight { fail("n\(node.number) cannot read blob \(key) of \(name): \(blob)") }
        }
    }

    // MARK: Convergence

    private func checkConvergence(_ replicator: WorldReplicator) throws {
        let options = replicator.options
        for name in names where options.collections.contains(name.collection) {
            if options.filtered.contains(name.id) || options.documentIDs?.containsExactly(name.id) == false { continue }
            let purged = eventLog.purged[name] ?? []
            guard purged.isEmpty else { continue }
            // A document that was deleted in an intermediate database and created again by another node may have a revision with a lower
            // generation than the known one of the server, which is not pushed further (Replication 4.5).
            if eventLog.deleted.contains(name), isTarget(replicator.node) { continue }
            try checkConvergence(of: name, replicator)
        }
    }

    private func isTarget(_ node: WorldNode) -> Bool { replicators.contains { $0.target === node } }

    private func checkConvergence(of name: DocumentName, _ replicator: WorldReplicator) throws {
        let options = replicator.options
        let local = try replicator.node.state(of: name)
        let remote = try replicator.target.state(of: name)
        if options.pushes, options.pulls {
            let isSame = local.current.map { remote.isCurrent($0) } ?? (remote.current == nil)
            if local.isLive || remote.isLive, !isSame || local.exactJSON != remote.exactJSON {
                fail("r\(replicator.number): \(name) differs: here \(local), there \(remote)")
            }
        } else if options.pushes {
            // A deleted document may be created again by any node, and the revision of the target may lose a conflict with another.
            guard let current = local.current, !remote.includes(current), !eventLog.deleted.contains(name),
                !eventLog.conflicted.contains(name)
            else { return }
            if eventLog.refused[replicator.sides]?.contains(name) != true {
                fail("r\(replicator.number): \(name) was not pushed: here \(local), there \(remote)")
            }
        } else if remote.isLive, !remote.currentNames.contains(where: { local.revisions.contains($0) || local.includes($0) }) {
            fail("r\(replicator.number): \(name) was not pulled: here \(local), there \(remote)")
        }
    }

    // MARK: No lost edits

    /// Checks that every edit is in the document, unless the document was deleted or a conflict was resolved without merging.
    private func checkMarks() throws {
        guard replicators.allSatisfy({ $0.options.pushes && $0.options.pulls }) else { return }
        for name in names where !eventLog.deleted.contains(name) && eventLog.purged[name] == nil {
            let isEverywhere = replicators.allSatisfy { replicator in
                let options = replicator.options
                return options.collections.contains(name.collection) && !options.filtered.contains(name.id)
                    && options.documentIDs?.containsExactly(name.id) != false
            }
            let isMerged = replicators.allSatisfy { $0.options.resolver != .standard }
            guard isEverywhere, isMerged || !eventLog.conflicted.contains(name) else { continue }
            let missing = eventLog.marks[name, default: []].subtracting(try nodes[0].content(of: name)?.marks ?? [])
            if !missing.isEmpty { fail("edits of \(name) are lost: \(missing.sorted())") }
        }
    }

    /// Checks that every revision that was once current on the server is still in the document's history.
    private func checkServer() throws {
        for (name, revisions) in eventLog.served where eventLog.purged[name] == nil {
            let state = try nodes[0].state(of: name)
            let lowest = state.history.last?.generation ?? 0
            // Of the tree of a document that has a vector, only the last revision is known.
            for revision in revisions
            where revision.generation >= lowest && (revision.tree == nil || state.current?.tree != nil) && !state.includes(revision) {
                fail("the server has lost \(name) \(revision): \(state)")
            }
        }
    }
}

/// The state of a document in a database.
struct DocumentState: CustomStringConvertible {
    var current: RevisionID?
    var isLive = false
    var exactJSON: ExactString?
    /// The current revision and its ancestors.
    var history: [RevisionID] = []
    var revisions: Set<RevisionID> = []
    /// The IDs by which clients with trees know the current revision and its ancestors; empty in a database with trees.
    var names: [RevisionID] = []

    /// The IDs of the current revision: its own, and the one by which clients with trees know it. A client that was upgraded still knows by that one
    /// what it has pulled before, and its changes are on top of it (Version vectors 7.6).
    var currentNames: [RevisionID] { [current, names.first].compactMap(\.self) }

    /// Whether a revision of another database is the current one.
    func isCurrent(_ revision: RevisionID) -> Bool { names.first == revision || current?.isSame(as: revision) ?? false }

    /// Whether a revision is the current one or an ancestor of it. A version includes the earlier ones of its database.
    func includes(_ revision: RevisionID) -> Bool {
        if history.contains(revision) || names.contains(revision) { return true }
        guard case .version(let version) = revision else { return false }
        return history.contains { known in
            guard case .version(let known) = known else { return false }
            return known.source == version.source && known.time >= version.time
        }
    }

    var description: String { "\(isLive ? "" : "deleted ")\(history) \(exactJSON?.string.prefix(300) ?? "")" }
}

extension WorldNode {
    func state(of name: DocumentName) throws -> DocumentState {
        let collection = try database.collection(name.collection)
        guard let record = try collection.document(name.id, includingDeleted: true) else { return DocumentState() }
        let own = try database.file.versionSource()
        return DocumentState(
            current: absolute(record.revision),
            isLive: !record.isDeleted,
            exactJSON: try json(of: name).map { ExactString($0) },
            history: try (collection.history(of: name.id) ?? []).map(absolute),
            revisions: Set(try collection.revisions(of: name.id)?.map { absolute($0.id) } ?? []),
            names: try own.flatMap { try collection.treeIDs(of: name.id, $0) } ?? []
        )
    }
}
