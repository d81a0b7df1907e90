import ArgumentParser
import DocumentStore
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
            try database.writing { file in try resolve(file, keeping: keep) }
        } else {
            try database.reading { file in try list(file) }
        }
    }

    // MARK: Listing

    private func list(_ file: DatabaseFile) throws {
        let store = try collection.store(in: file)
        let output = Output()
        for conflict in try conflicts(in: store) {
            if self.output.json {
                try output.line(json(conflict))
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
    private func conflicts(in store: CollectionStore) throws -> [StoredConflict] {
        guard ids.isEmpty else {
            return try ids.map { id in
                guard let conflict = try store.conflict(in: id) else {
                    if try store.document(id, includingDeleted: true) == nil { throw Failure.noDocument(id, in: store) }
                    throw Failure(.notFound, "document \"\(id)\" is not in conflict")
                }
                return conflict
            }
        }
        return try store.conflictedDocuments().compactMap { try store.conflict(in: $0) }
    }

    private func summary(_ revision: StoredRevision) -> String {
        revision.id.description + (revision.isDeleted ? " (deleted)" : "")
    }

    private func show(_ conflict: StoredConflict, to output: Output) throws {
        let style = Style(for: .standardOutput)
        try output.line(style.bold(conflict.documentID))
        for (title, revision) in [("local", conflict.local), ("remote", conflict.remote)] {
            try output.line("  \(title.padded(to: 9))  \(summary(revision))")
            if !revision.isDeleted { try output.line("             \(try text(revision, conflict))") }
        }
        if let base = conflict.base { try output.line("  base       \(summary(base))") }
    }

    private func json(_ conflict: StoredConflict) throws -> String {
        try JSONPrinter.object { printer in
            printer.member("id", conflict.documentID)
            for (name, revision) in [("local", conflict.local), ("remote", conflict.remote)] {
                let body = try text(revision, conflict)
                printer.object(name) { printer in
                    printer.member("rev", revision.id.description)
                    printer.member("deleted", revision.isDeleted)
                    printer.member("body", json: body)
                }
            }
        }
    }

    private func text(_ revision: StoredRevision, _ conflict: StoredConflict) throws -> String {
        var writer = JSONWriter(capacity: 1024)
        let isWritten: Void? = try revision.body.withRoot { root in
            try writer.append(root, sharedKeys: conflict.sharedKeys, form: .canonical)
        }
        guard isWritten != nil else { throw FleeceError(.badRoot) }
        return writer.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Resolving

    private func resolve(_ file: DatabaseFile, keeping version: Version) throws {
        let store = try collection.store(in: file)
        let output = Output()
        let conflicts = try conflicts(in: store)
        for conflict in conflicts {
            let resolved = try file.transaction { writer in
                try store.resolve(conflict, with: version == .local ? .local : .remote, in: writer)
            }
            guard let resolved else { throw StoreError.conflict(documentID: conflict.documentID) }
            guard self.output.json else { continue }
            let line = JSONPrinter.object { printer in
                printer.member("id", conflict.documentID)
                printer.member("rev", resolved.revision.description)
                printer.member("deleted", resolved.isDeleted)
            }
            try output.line(line)
        }
        if !self.output.json {
            try output.line("Resolved \(conflicts.count.counted("conflict")), keeping the \(version.rawValue) version.")
        }
        try output.flush()
    }
}
