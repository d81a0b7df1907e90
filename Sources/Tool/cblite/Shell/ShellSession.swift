import ArgumentParser
import CouchbaseLiteSwift
import Foundation

/// The state of the shell, and its loop, which reads statements and commands and runs them.
final class ShellSession {
    private let opening: Opening
    let tools: ToolCommands
    /// The database, open for reading; `nil` while a command or a statement that changes documents uses it.
    private var database: Database?
    /// Whether a user types the input on a terminal. Otherwise the first error ends the shell.
    let isInteractive = isatty(STDIN_FILENO) == 1
    var settings: ShellSettings
    var context: ShellContext
    /// The last query, for `\watch`.
    private(set) var lastQuery: String?
    /// Whether statements that change documents are run without a question.
    private var isTrusted = false
    private var isEnding = false
    /// The number of files in which `\i` was found.
    private var fileDepth = 0

    init(_ opening: Opening, _ tools: ToolCommands, rows: RowOptions) {
        self.opening = opening
        self.tools = tools
        settings = ShellSettings(format: rows.chosen, usesPager: rows.pager)
        context = ShellContext(path: opening.path, key: opening.key)
    }

    /// The name of the database in the prompt.
    private var name: String {
        let name = DisplayWidth.printable(URL(fileURLWithPath: opening.path).deletingPathExtension().lastPathComponent)
        return context.collection.map { "\(name)/\($0)" } ?? name
    }

    func run() throws {
        defer { closeDatabase() }
        // Between commands, Ctrl-C only discards the line.
        let interrupt = isInteractive ? Interrupt([SIGINT]) { _ in } : nil
        defer { interrupt?.cancel() }
        guard isInteractive else { return try run(try PipedLines("-")) }
        let completer = ShellCompleter(self)
        guard let editor = LineEditor(historyPath: Self.historyPath, complete: completer.complete) else {
            return try run(try PipedLines("-"))
        }
        StandardStreams.printError("\\? lists the commands of the shell, \\q leaves it.\n")
        try run(EditedLines(editor))
    }

    /// The file of the history: `CBLITE_HISTORY`, or `.cblite_history` in the home directory; `nil` if the variable is empty.
    private static var historyPath: String? {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["CBLITE_HISTORY"] { return path.isEmpty ? nil : path }
        return environment["HOME"].map { $0 + "/.cblite_history" }
    }

    /// Runs all statements and commands of a source.
    private func run(_ source: any LineSource) throws {
        var statement = ""
        while !isEnding {
            let prompt = statement.isEmpty ? "\(name)> " : String(repeating: " ", count: max(DisplayWidth.of(name) - 1, 0)) + "-> "
            switch try source.next(prompt) {
            case .interrupted: statement = ""
            case .end:
                // The last statement of a file needs no semicolon.
                if !isInteractive || fileDepth > 0, !ShellText.isBlank(statement) { try attempt { try runStatement(statement) } }
                return
            case .text(let line):
                if statement.isEmpty {
                    if line.allSatisfy(\.isWhitespace) { continue }
                    if ShellText.statementKeyword(line) == nil, !ShellText.isBlank(line) {
                        source.remember(line)
                        try attempt { try runCommand(line) }
                        continue
                    }
                }
                statement += statement.isEmpty ? line : "\n" + line
                // A statement of many lines is not searched again at each of them.
                if !line.utf8.contains(UInt8(ascii: ";")), ShellText.statementKeyword(statement) != nil { continue }
                try runStatements(&statement, source)
            }
        }
    }

    /// Runs the statements that are complete, and leaves the rest.
    private func runStatements(_ text: inout String, _ source: any LineSource) throws {
        var isFirst = true
        while let (statement, rest) = ShellText.splitStatement(text) {
            // A recalled statement is one line.
            if isFirst, !text.contains("--") { source.remember(text.replacing("\n", with: " ")) }
            isFirst = false
            text = rest
            if !ShellText.isBlank(statement) { try attempt { try runStatement(statement) } }
        }
        if ShellText.isBlank(text), !text.contains("/*") || text.contains("*/") { text = "" }
    }

    /// Runs a command or a statement, and prints its error. If the shell is not interactive, the error ends it.
    private func attempt(_ body: () throws -> Void) throws {
        do {
            try settings.redirectingOutput {
                let start = ContinuousClock.now
                defer { Pager.finish() }
                try ShellContext.$current.withValue(context, operation: body)
                if settings.isTiming { StandardStreams.printError("Time: \(QueryRun.text(.now - start))\n") }
            }
        } catch OutputError.closed {
            // The user has left the pager.
        } catch let code as ExitCode {
            guard isInteractive else { throw code }
            // The terminal has printed ^C.
            if code.rawValue > 128 { StandardStreams.printError("\nCancelled.\n") }
        } catch {
            guard isInteractive, let failure = Failure(error) else { throw error }
            failure.printToStandardError()
        }
    }

    // MARK: Database

    /// Calls `body` with the database open for reading.
    func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        let open = try database ?? opening.database(.reading)
        database = open
        return try body(open)
    }

    /// Closes the database, so that a command can open it in its own way.
    func closeDatabase() {
        try? database?.close()
        database = nil
    }

    // MARK: Statements

    private func runStatement(_ text: String) throws {
        switch ShellText.statementKeyword(text) {
        case "SELECT":
            lastQuery = text
            try runQuery(text)
        case "EXPLAIN": try explain(ShellText.afterFirstWord(text))
        case .some: try change(text)
        case nil: throw Failure(.usage, "a statement begins with SELECT, UPDATE, DELETE, INSERT, UPSERT or EXPLAIN")
        }
    }

    func runQuery(_ text: String) throws {
        if settings.isExplaining { try explain(text) }
        let output = Output(paging: settings.usesPager && isInteractive)
        try withDatabase { database in
            let query = try database.createQuery(text)
            query.parameters = settings.parameters
            try QueryRun(query, format: settings.format, output).print()
        }
    }

    private func explain(_ text: String) throws {
        let output = Output()
        let plan = try withDatabase { try $0.createQuery(text).plan }
        for line in plan.lines(output.style) { try output.line(line) }
        try output.flush()
    }

    private func change(_ text: String) throws {
        guard try isConfirmed() else { return StandardStreams.printError("Nothing was changed.\n") }
        closeDatabase()
        let database = try opening.database(.writing)
        defer { try? database.close() }
        let output = Output(paging: settings.usesPager && isInteractive)
        try StatementRun(text, settings.parameters ?? Parameters(), format: settings.format, output).print(database)
    }

    /// Asks whether a statement that changes documents is to be run.
    private func isConfirmed() throws -> Bool {
        guard isInteractive, !isTrusted, fileDepth == 0 else { return true }
        StandardStreams.printError("This statement changes documents. Run it? [y]es, [n]o, [a]lways: ")
        let answer = readLine()?.first?.lowercased()
        isTrusted = answer == "a"
        return answer == "y" || answer == "a"
    }

    // MARK: Commands

    private func runCommand(_ line: String) throws {
        let trimmed = line.trimmingCharacters(in: .whitespaces)
        if trimmed.hasPrefix("\\") { return try ShellControl(self).run(trimmed) }
        var words = try ShellText.words(trimmed)
        // Some users end commands with a semicolon, like statements.
        if words.count == 1, words[0].hasSuffix(";") { words[0].removeLast() }
        switch words.first {
        case "exit", "quit": isEnding = true
        case "?": try ShellControl(self).run("\\?")
        case "help" where words.count == 1: try ShellControl(self).run("\\?")
        case let name? where tools.names.contains(name):
            closeDatabase()
            try tools.run(words, opening.path)
        case let name?: throw ForeignCommands.failure(words) ?? tools.unknown(name)
        case nil: break
        }
    }

    func end() { isEnding = true }

    /// Runs the lines of a file.
    func runFile(_ path: String) throws {
        guard fileDepth < 16 else { throw Failure(.usage, "\\i: the files include each other more than 16 times") }
        fileDepth += 1
        defer { fileDepth -= 1 }
        try run(try PipedLines(path))
    }
}

/// Where the shell reads its lines from.
protocol LineSource: AnyObject {
    func next(_ prompt: String) throws -> LineEditor.Line
    func remember(_ text: String)
}

/// The lines of a file or pipe.
private final class PipedLines: LineSource {
    private let file: InputFile

    init(_ path: String) throws { file = try InputFile(path) }

    func next(_ prompt: String) throws -> LineEditor.Line {
        var searched = 0
        while true {
            let (end, count) = file.withAvailable { bytes in (bytes.dropFirst(searched).firstIndex(of: 0x0A), bytes.count) }
            if let end {
                defer { file.consume(end + 1) }
                return .text(text(end))
            }
            searched = count
            if try !file.fill() {
                if count == 0 { return .end }
                defer { file.consume(count) }
                return .text(text(count))
            }
        }
    }

    private func text(_ count: Int) -> String {
        file.withAvailable { bytes in
            let line = bytes.prefix(count)
            return String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
    }

    func remember(_ text: String) {}
}

/// The lines that are typed.
private final class EditedLines: LineSource {
    private let editor: LineEditor

    init(_ editor: LineEditor) { self.editor = editor }

    func next(_ prompt: String) -> LineEditor.Line { editor.read(prompt: prompt) }

    func remember(_ text: String) { editor.remember(text) }
}
