import CTerminal
import Foundation

/// How many cells of a terminal a text takes: two for each wide character (East Asian ideographs, emoji), none for a combining mark.
///
/// The widths of code points are those of the C library, which are those of Unicode Standard Annex #11.
enum DisplayWidth {
    /// Loads the table of widths; must run before other threads exist.
    static func prepare() {
        // Not every system has `C.UTF-8`; the names of languages do not matter, only the encoding.
        for name in ["C.UTF-8", "en_US.UTF-8", "UTF-8"] where setlocale(LC_CTYPE, name) != nil { return }
    }

    static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The width of one character as it is perceived, which may be several code points.
    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.isASCII, scalars.count == 1 { return first.value < 0x20 || first.value == 0x7F ? 0 : 1 }
        // Emoji of several code points are drawn as one: joined by U+200D, coloured by U+FE0F, or flags.
        let isOneEmoji = scalars.contains { $0.value == 0x200D || $0.value == 0xFE0F || (0x1F1E6...0x1F1FF).contains($0.value) }
        if isOneEmoji, first.properties.isEmoji, !first.isASCII { return 2 }
        return scalars.reduce(0) { $0 + max(0, Int(cterminal_width($1.value))) }
    }

    /// Returns the text, or its beginning and `…` if it takes more than `width` cells.
    static func cut(_ text: String, to width: Int) -> String {
        // No text takes more cells than it has bytes.
        if text.utf8.count <= width || of(text) <= width { return text }
        var result = ""
        var used = 1
        for character in text {
            used += of(character)
            if used > width { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Returns the text on one line, without what would control the terminal or reorder the line: that is written as `\u{…}`.
    static func printable(_ text: String) -> String { TerminalEscapes.escaped(text, .text) }
}

extension String {
    /// Returns the text padded with spaces to at least `width` cells of a terminal.
    func padded(to width: Int, leading: Bool = false) -> String {
        let missing = width - DisplayWidth.of(self)
        guard missing > 0 else { return self }
        let spaces = String(repeating: " ", count: missing)
        return leading ? spaces + self : self + spaces
    }
}

/// The size of a terminal in cells.
struct TerminalSize {
    var columns: Int
    var rows: Int

    /// Returns the size of the terminal of a descriptor; 80 × 24 if it is none or has no size. The environment variables `COLUMNS` and `LINES`
    /// overrule it, as with other tools.
    static func current(_ descriptor: Int32 = STDOUT_FILENO) -> TerminalSize {
        var size = winsize()
        var result = TerminalSize(columns: 80, rows: 24)
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            result = TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
        }
        if let columns = positiveNumber("COLUMNS") { result.columns = columns }
        if let rows = positiveNumber("LINES") { result.rows = rows }
        return result
    }

    private static func positiveNumber(_ name: String) -> Int? {
        guard let text = getenv(name), let number = Int(String(cString: text)), (1...100_000).contains(number) else { return nil }
        return number
    }
}
