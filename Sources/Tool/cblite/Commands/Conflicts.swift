import ArgumentParser
import CouchbaseLiteSwift
import Fleece

/// `cblite conflicts`
struct Conflicts: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists and resolves conflicts.",
        discussion: """
            A document is in conflict if it was changed both in this database and in another one, and the conflict has not been \
            resolved. Without --keep, lists the documents in conflict, or shows both versions of the given documents. With \
            --keep, resolves the conflicts of the given documents, or of all with --all: local keeps the version of this \
            database as a new revision, which the next push sends; remote keeps the other version.

            EXAMPLES:
              $ cblite conflicts notes.cblite2
              $ cblite conflicts notes.cblite2 note-1
              $ cblite conflicts notes.cblite2 note-1 --keep remote
              $ cblite conflicts notes.cblite2 --all --keep local

            With --json, one object per line for each document: id, local {rev, deleted, body}, remote {rev, deleted, body}; \
            with --keep: id, rev, deleted.
            """
    )

    /// The version of a document to keep.
    enum Version: String, ExpressibleByArgument, CaseIterable {
        case local, remote
    }

    @OptionGroup var database: DatabaseArgument
    @Argument(help: ArgumentHelp("Document IDs.", valueName: "id")) var ids: [String] = []
    @Option(help: "Resolve the conflicts by keeping this version: local or remote.") var keep: Version?
    @Flag(help: "Resolve the conflicts of all documents.") var all = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !all || ids.isEmpty else { throw ValidationError("Give IDs or --all, not both.") }
        guard keep == nil || all || !ids.isEmpty else { throw ValidationError("--keep needs IDs or --all.") }
    }

    func run() throws {
        if let keep {
            try database.writing { try resolve(in: collection.open(in: $0), keeping: keep) }
        } else {
            try database.reading { try list(in: collection.open(in: $0)) }
        }
    }

    // MARK: Listing

    private func list(in collection: DocumentCollection) throws {
        let output = Output()
        let conflicts = try self.conflicts(in: collection)
        if conflicts.isEmpty, !self.output.json { try output.line("There are no conflicts in \(collection.fullName).") }
        for conflict in conflicts {
            if self.output.json {
                try output.line(json: json(conflict))
            } else if ids.isEmpty {
                try output.line("\(conflict.documentID)  \(summary(conflict.local)) local, \(summary(conflict.remote)) remote")
            } else {
                try show(conflict, to: output)
            }
        }
        try output.flush()
    }

    /// Returns the conflicts of the given documents, or of all documents if no IDs were given.
    ///
    /// - Throws: ``Failure`` if a given document does not exist or is not in conflict.
    private func conflicts(in collection: DocumentCollection) throws -> [DocumentConflict] {
        guard ids.isEmpty else {
            return try ids.map { id in
                guard let conflict = try collection.conflict(of: id) else {
                    guard try collection.contains(id) else { throw Failure.noDocument(id, in: collection) }
                    throw Failure(.notFound, "document \"\(id)\" is not in conflict")
                }
                return conflict
            }
        }
        return try collection.conflicts()
    }

    private func summary(_ version: DocumentConflict.Version) -> String { version.revision + (version.isDeleted ? " (deleted)" : "") }

    private func show(_ conflict: DocumentConflict, to output: Output) throws {
        let style = Style(for: .standardOutput)
        try output.line(style.bold(conflict.documentID))
        for (title, version) in [("local", conflict.local), ("remote", conflict.remote)] {
            try output.line("  \(title.padded(to: 9))  \(summary(version))")
            if !version.isDeleted { try output.line("             \(try version.json())") }
        }
        if let base = conflict.base { try output.line("  base       \(summary(base))") }
    }

    private func json(_ conflict: DocumentConflict) throws -> String {
        try JSONWriter.object { writer in
            writer.member("id", conflict.documentID)
            for (name, version) in [("local", conflict.local), ("remote", conflict.remote)] {
                let json = try version.json()
                writer.object(name) { writer in
                    writer.members(["rev": version.revision, "deleted": version.isDeleted])
                    writer.member("body", json: json)
                }
            }
        }.string
    }

    // MARK: Resolving

    private func resolve(in collection: DocumentCollection, keeping version: Version) throws {
        let output = Output()
        let conflicts = try self.conflicts(in: collection)
        for conflict in conflicts {
            let resolved = try conflict.resolve(keepingLocal: version == .local, in: collection)
            guard self.output.json else { continue }
            let line = JSONWriter.object(["id": conflict.documentID, "rev": resolved.revision, "deleted": resolved.isDeleted]).string
            try output.line(json: line)
        }
        if !self.output.json, conflicts.isEmpty {
            try output.line("There are no conflicts in \(collection.fullName).")
        } else if !self.output.json {
            try output.line("Resolved \(conflicts.count.counted("conflict")), keeping the \(version.rawValue) version.")
        }
        try output.flush()
    }
}
