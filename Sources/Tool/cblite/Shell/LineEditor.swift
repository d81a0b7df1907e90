import CTerminal
import Foundation

/// Reads lines from a terminal with libedit: editing, history and completion.
final class LineEditor {
    enum Line {
        case text(String)
        /// Ctrl-C: what was typed is discarded.
        case interrupted
        /// Ctrl-D on an empty line, or the terminal was closed.
        case end
    }

    private let line: OpaquePointer
    private let history: OpaquePointer
    private let historyPath: String?
    /// The prompt as a C string, which libedit reads at any time.
    private var prompt: UnsafeMutablePointer<CChar>?
    private let complete: (_ text: String, _ cursor: Int) -> Completion
    private var wasInterrupted = false
    private static let historySize: Int32 = 2_000

    /// - Parameters:
    ///   - historyPath: The file with the lines of earlier sessions; `nil` to keep none.
    ///   - complete: Returns the ways to complete the word that ends at `cursor`, a position in the UTF-8 bytes of the line.
    /// - Returns: `nil` if the terminal cannot be used.
    init?(historyPath: String?, complete: @escaping (_ text: String, _ cursor: Int) -> Completion) {
        guard let line = cterminal_open("cblite"), let history = history_init() else { return nil }
        self.line = line
        self.history = history
        self.historyPath = historyPath
        self.complete = complete
        cterminal_set_history_size(history, Self.historySize)
        cterminal_set_history_unique(history)
        if let historyPath { cterminal_load_history(history, historyPath) }
        // The pointer is used only while this object exists, which frees the editor.
        cterminal_set_owner(line, Unmanaged.passUnretained(self).toOpaque())
        cterminal_set_editor(line, "emacs")
        cterminal_set_history(line, history)
        cterminal_set_prompt(line) { line in LineEditor.owner(of: line)?.prompt }
        cterminal_add_function(line, "cblite-complete", "complete the word") { line, _ in
            LineEditor.owner(of: line)?.completeWord() ?? UInt8(CC_ERROR)
        }
        cterminal_bind(line, "^I", "cblite-complete")
        cterminal_bind(line, "^R", "em-inc-search-prev")
        cterminal_add_function(line, "cblite-interrupt", "discard the line") { line, _ in
            LineEditor.owner(of: line)?.wasInterrupted = true
            return UInt8(CC_EOF)
        }
        // While a line is edited, Ctrl-C is a key and no signal.
        cterminal_set_terminal(line, "-isig")
        cterminal_bind(line, "^C", "cblite-interrupt")
        el_source(line, nil)
    }

    deinit {
        el_end(line)
        history_end(history)
        free(prompt)
    }

    private static func owner(of line: OpaquePointer?) -> LineEditor? {
        cterminal_owner(line).map { Unmanaged<LineEditor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Reads a line. Blocks until it is complete.
    func read(prompt text: String) -> Line {
        free(prompt)
        prompt = strdup(text)
        wasInterrupted = false
        var count: Int32 = 0
        guard let bytes = el_gets(line, &count), count > 0 else {
            StandardStreams.printError(wasInterrupted ? "^C\n" : "\n")
            return wasInterrupted ? .interrupted : .end
        }
        var text = String(cString: bytes)
        while text.last?.isNewline == true { text.removeLast() }
        return .text(text)
    }

    /// Adds what was typed to the history, and to its file.
    func remember(_ text: String) {
        guard !text.allSatisfy(\.isWhitespace) else { return }
        cterminal_add_to_history(history, text)
        guard let historyPath else { return }
        // Statements may contain confidential values.
        let mask = umask(0o077)
        cterminal_save_history(history, historyPath)
        umask(mask)
    }

    /// Inserts what all candidates have in common, or lists them if that is nothing.
    private func completeWord() -> UInt8 {
        guard let info = el_line(line)?.pointee, let start = info.buffer, let cursor = info.cursor, let end = info.lastchar else {
            return UInt8(CC_ERROR)
        }
        let bytes = UnsafeRawBufferPointer(start: start, count: end - start)
        let completion = complete(String(decoding: bytes, as: UTF8.self), cursor - start)
        guard !completion.candidates.isEmpty else { return UInt8(CC_ERROR) }
        let common = completion.common
        // The editor would send what the name contains.
        let isInsertable = DisplayWidth.printable(common).utf8.elementsEqual(common.utf8)
        if isInsertable, common.utf8.count > completion.wordSize || completion.candidates.count == 1 {
            // The word is replaced, because the case of its letters may differ.
            el_deletestr(line, Int32(completion.characters))
            el_insertstr(line, common + (completion.candidates.count == 1 ? completion.suffix : ""))
            return UInt8(CC_REFRESH)
        }
        StandardStreams.printError("\n\(TerminalText(lines: Self.columns(completion.candidates, width: TerminalSize.current().columns)))")
        return UInt8(CC_REDISPLAY)
    }

    /// Returns names in as many columns as fit, sorted downwards.
    static func columns(_ names: [String], width: Int) -> String {
        let shown = names.prefix(200).map(DisplayWidth.printable)
        let cell = (shown.map(DisplayWidth.of).max() ?? 0) + 2
        let perLine = max(1, width / cell)
        let lines = (shown.count + perLine - 1) / perLine
        var text = ""
        for line in 0..<lines {
            var row = ""
            for name in stride(from: line, to: shown.count, by: lines) { row += shown[name].padded(to: cell) }
            text += row + "\n"
        }
        return names.count > shown.count ? text + "… \((names.count - shown.count).grouped) more\n" : text
    }
}

/// The ways to complete a word.
struct Completion {
    /// The word that ends at the cursor: its size in UTF-8 bytes and in Unicode scalars, which are what the editor counts.
    var wordSize: Int
    var characters: Int
    /// All texts that can replace the word, sorted.
    var candidates: [String]
    /// What follows the word if there is only one candidate.
    var suffix = " "

    /// The beginning that all candidates have in common, ignoring case; in the spelling of the first.
    var common: String {
        guard let first = candidates.first else { return "" }
        var count = first.count
        for other in candidates.dropFirst() {
            let same = zip(first.prefix(count), other).prefix { $0.lowercased() == $1.lowercased() }.count
            count = same
        }
        return String(first.prefix(count))
    }
}
