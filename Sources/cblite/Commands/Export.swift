import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// `cblite export`
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints all documents of a collection as JSON.",
        discussion: """
            One JSON object per line for each document, in the order of the IDs. The ID is the member _id; members, also of \
            nested objects, are sorted by the bytes of their names. The output can be imported with cblite import; blob contents \
            are not included.

            EXAMPLES:
              $ cblite export travel.cblite2 > backup.jsonl
              $ cblite export travel.cblite2 --collection inventory.hotels --output hotels.jsonl

            With --output and --json, a summary is printed: documents, bytes, file.
            """
    )

    @OptionGroup var database: DatabaseArgument
    @Option(name: [.customShort("o"), .long], help: "Write to this file instead of standard output.", completion: .file())
    var output: String?
    @OptionGroup var collection: CollectionOption
    @OptionGroup var format: OutputOptions

    func run() throws {
        try database.reading { database in
            let collection = try collection.open(in: database)
            guard let path = output else {
                let output = Output()
                _ = try Self.export(collection, to: output)
                return try output.flush()
            }
            let (documents, bytes) = try Self.writing(to: path) { output in
                let documents = try Self.export(collection, to: output)
                try output.flush()
                return (documents, output.count)
            }
            try format.print("Exported \(documents.counted("document")) to \(path), \(bytes.asByteCount).") { printer in
                printer.member("documents", documents)
                printer.member("bytes", bytes)
                printer.member("file", path)
            }
        }
    }

    /// Calls `body` with the output to a file. Only if `body` succeeds, the file replaces an existing one. A device, a named pipe and the file
    /// that is the standard output of this process are written to in place.
    private static func writing<Result>(to path: String, _ body: (Output) throws -> Result) throws -> Result {
        var (status, standardOutput) = (stat(), stat())
        let exists = stat(path, &status) == 0
        let isStandardOutput =
            exists && fstat(STDOUT_FILENO, &standardOutput) == 0 && status.st_dev == standardOutput.st_dev
            && status.st_ino == standardOutput.st_ino
        let isReplaced = !exists || (status.st_mode & S_IFMT == S_IFREG && !isStandardOutput)
        // A symbolic link keeps pointing to the file.
        let target = exists && isReplaced ? try resolved(path) : path
        let written = isReplaced ? target + ".unfinished-\(UInt32.random(in: 0 ... .max))" : path
        let descriptor =
            isStandardOutput ? dup(STDOUT_FILENO) : open(written, O_WRONLY | O_CLOEXEC | (isReplaced ? O_CREAT | O_EXCL : 0), 0o644)
        guard descriptor >= 0 else { throw Failure.system("create", written) }
        defer { close(descriptor) }
        do {
            let result = try body(Output(descriptor: descriptor))
            guard !isReplaced || rename(written, target) == 0 else { throw Failure.system("create", path) }
            return result
        } catch {
            if isReplaced { unlink(written) }
            throw error
        }
    }

    /// Returns the path of a file that exists, without symbolic links.
    private static func resolved(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw Failure.system("create", path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func export(_ collection: DocumentCollection, to output: Output) throws -> Int {
        var documents = 0
        var text = DocumentJSON()
        try collection.forEachStoredDocument { document in
            try text.withText(of: document) { try output.write($0) }
            try output.newline()
            documents += 1
            return true
        }
        return documents
    }
}
