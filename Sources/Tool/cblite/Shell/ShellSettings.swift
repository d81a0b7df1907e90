import CouchbaseLiteSwift
import Foundation

/// How the shell runs queries and prints their rows.
final class ShellSettings {
    var format: RowFormat
    /// The format to return to when `\x` is switched off.
    private var formatBefore: RowFormat
    let usesPager: Bool
    var isTiming = false
    var isExplaining = false
    /// The values of the parameters of statements.
    private(set) var parameters: Parameters?
    /// The same as JSON, by name.
    private(set) var parameterTexts: [String: String] = [:]
    /// The file that receives what is printed; `nil` for the standard output.
    private var outputFile: Int32?

    init(format: RowFormat, usesPager: Bool) {
        self.format = format
        formatBefore = format == .expanded ? .table : format
        self.usesPager = usesPager
    }

    deinit {
        if let outputFile { close(outputFile) }
    }

    /// Switches between expanded rows and the format before.
    func toggleExpanded() {
        if format == .expanded {
            format = formatBefore
        } else {
            formatBefore = format
            format = .expanded
        }
    }

    /// Sends what is printed to a file, which is created or emptied; `nil` sends it to the standard output again.
    ///
    /// - Throws: ``Failure`` if the file cannot be created.
    func setOutput(_ path: String?) throws {
        var descriptor: Int32?
        if let path {
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            guard file >= 0 else { throw Failure.system("create", path) }
            descriptor = file
        }
        if let outputFile { close(outputFile) }
        outputFile = descriptor
    }

    /// Runs `body` while the standard output is that of `\o`.
    func redirectingOutput(_ body: () throws -> Void) throws {
        guard let outputFile else { return try body() }
        let terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard terminal >= 0, dup2(outputFile, STDOUT_FILENO) >= 0 else { throw Failure.system("redirect", "the output") }
        defer {
            // A command may have changed the file, for example `\o` itself.
            dup2(terminal, STDOUT_FILENO)
            close(terminal)
        }
        try body()
    }

    func setParameter(_ name: String, json: String) throws {
        let parameters = parameters.map { Parameters(parameters: $0) } ?? Parameters()
        do {
            parameters.setValue(try JSONInput.value(json), forName: name)
        } catch {
            throw Failure(.badData, "\\set \(name): \(error)", hint: #"Strings must be quoted: \set name "Nowhere""#)
        }
        self.parameters = parameters
        parameterTexts[name] = json
    }
}
