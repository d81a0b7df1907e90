import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite edit`
struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens a document in an editor, and saves what was changed.",
        discussion: """
            The editor is the command in the environment variable VISUAL or EDITOR, otherwise vi. The document is not locked meanwhile: if \
            another program has changed it when the editor ends, nothing is saved, the text is kept in a file, and the exit code is \
            75. If the text is not valid JSON, the command offers to edit it again; where standard input is no terminal, it fails \
            and keeps the text in a file.

            EXAMPLES:
              $ cblite edit travel.cblite2 airport_CDG
              $ EDITOR=nano cblite edit travel.cblite2 airport_CDG
              $ cblite edit --create travel.cblite2 airport_XYZ

            With --json, one object: id, changed, rev.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Argument(help: "The ID of the document.") var id: String
    @Flag(help: "Create the document if it does not exist.") var create = false
    @OptionGroup var collection: CollectionOption
    @OptionGroup var output: OutputOptions

    func run() throws {
        let opening = try database.opening()
        let (original, revision) = try opening.using(.reading) { try read(from: collection.open(in: $0)) }
        let file = try EditedFile(named: id, original)
        while true {
            let text = try file.edit()
            do {
                guard try !JSONInput.areEqual(text, Array(original.utf8)) else {
                    file.remove()
                    return try report(revision, isChanged: false)
                }
                let document = try Put.document(text, id: id)
                let saved = try opening.using(.writing) { try save(document, replacing: revision, in: $0) }
                file.remove()
                return try report(saved, isChanged: true)
            } catch {
                guard let failure = Failure(error) else { throw error }
                let kept = Failure(failure.status, failure.message, hint: "The text is kept in \(file.path)")
                guard failure.status == .badData, isatty(STDIN_FILENO) == 1 else { throw kept }
                failure.printToStandardError()
                do { try Terminal.confirm("Edit it again?") } catch { throw kept }
            }
        }
    }

    /// Returns the text to edit, and the revision; `nil` if the document is to be created.
    private func read(from collection: DocumentCollection) throws -> (text: String, revision: String?) {
        guard let document = try collection.storedDocument(id), let json = try document.json(at: ValuePath()) else {
            guard create else { throw Failure.noDocument(id, in: collection) }
            return ("{\n}\n", nil)
        }
        let layout = JSONLayout(style: Style(isColoured: false), isForTerminal: false)
        return (Array(json.utf8).withUnsafeBytes { layout.layOut($0) } + "\n", document.revision)
    }

    /// Returns the new revision.
    private func save(_ document: MutableDocument, replacing revision: String?, in database: Database) throws -> String? {
        let collection = try collection.open(in: database)
        try database.inBatch {
            let current = try collection.document(id: id)?.revisionID
            guard current == revision else {
                throw Failure(
                    .conflict,
                    "document \"\(id)\" was changed while it was edited: its revision is \(current ?? "that of a deletion")"
                )
            }
            try Put.save(document, in: collection)
        }
        return document.revisionID
    }

    private func report(_ revision: String?, isChanged: Bool) throws {
        try output.print(
            isChanged ? "Saved \(id), revision \(revision ?? "")" : "\(id) was not changed",
            [
                "id": id, "changed": isChanged, "rev": revision,
            ]
        )
    }
}

/// The text of a document in a temporary file that an editor changes. Only the user may read it.
private struct EditedFile {
    let path: String
    private let directory: String

    init(named id: String, _ text: String) throws {
        directory = NSTemporaryDirectory() + "cblite-edit-\(UInt64.random(in: 0 ... .max))"
        guard mkdir(directory, 0o700) == 0 else { throw Failure.system("create", directory) }
        // Editors recognize the format by the extension, and show the name.
        let name = String(id.map { $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : "_" }.prefix(60))
        path = directory + "/" + name + ".json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Runs the editor, and returns the text afterwards.
    ///
    /// - Throws: ``Failure`` if the editor cannot be run or reports a failure.
    func edit() throws -> [UInt8] {
        let environment = ProcessInfo.processInfo.environment
        let editor = [environment["VISUAL"], environment["EDITOR"]].compactMap(\.self).first { !$0.isEmpty } ?? "vi"
        // Ctrl-C is for the editor.
        let interrupt = Interrupt([SIGINT, SIGQUIT]) { _ in }
        defer { interrupt.cancel() }
        guard try ChildProgram(editor, [path]).wait() == 0 else {
            throw Failure(
                .inputOutput,
                "the editor '\(editor)' failed, and nothing was saved",
                hint: "The text is kept in \(path). Set another editor in the environment variable EDITOR."
            )
        }
        return try InputFile(path).rest()
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }
}
